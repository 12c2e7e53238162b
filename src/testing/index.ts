/**
 * For tests of what is written for a client: in virtual time, without a network.
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

// The errors that a stream may give, for tests of what a strategy does about them.
export {
  clientClosed,
  disconnected,
  httpError,
  networkError,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  timeout,
  unauthorized,
  unsupportedPair,
} from '../errors/constructors.js'
