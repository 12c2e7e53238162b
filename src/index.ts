/**
 * Live prices and order-book depth of a trading service, as observables.
 *
 * @module
 */

export * from './exports.js'
export { createClient, signRequest } from './client/on-node.js'
