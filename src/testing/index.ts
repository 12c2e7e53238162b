/**
 * Tools for tests of code that uses a client: in virtual time, without a network.
 *
 * @module
 */

export { createTestClient, type TestClientStreams } from './test-client.js'
export { depth, price } from './builders.js'
export {
  scriptedSocket,
  type Script,
  type ScriptedSocket,
  type ScriptedSocketOptions,
} from './scripted-socket.js'
export { server, type ServerMove } from './server-move.js'

// Constructors of the errors that a stream may emit, for tests of error handling.
export { disconnected } from './disconnected.js'
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
} from '../errors/constructors.js'
