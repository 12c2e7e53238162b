/**
 * Tools to test code that uses a client, in virtual time and without a network.
 *
 * @module
 */

export { createTestClient, type TestClientStreams } from './test-client.js'
export { depth, disconnected, price } from './builders.js'
export { expectMarbles } from './expect-marbles.js'

// Constructors of the errors that a stream may emit, for tests of error handling. `disconnected` is a builder.
export {
  clientClosed,
  httpError,
  networkError,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  timeout,
  unauthorized,
  unsupportedPair,
} from '../base/errors/constructors.js'
