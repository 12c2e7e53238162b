/**
 * Records the streams of a client to NDJSON, and replays a recording as a client.
 *
 * @module
 */

export * from './exports.js'
export { record, replay } from './on-node.js'
