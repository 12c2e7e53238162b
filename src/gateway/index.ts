/**
 * A server that passes the prices and the depth of a client on, in the service's own protocol.
 *
 * @module
 */

export { startGateway } from './run-gateway.js'
export { GatewayError } from './gateway.js'
export type {
  Gateway,
  GatewayHistoryFailure,
  GatewayHistorySnapshot,
  GatewaySnapshot,
  GatewayTopicSnapshot,
  GatewayTopicState,
  SignedGateway,
  UnsignedGateway,
} from './gateway.js'
export type {
  GatewayHistoryOptions,
  GatewayKeys,
  GatewayOptions,
  GatewayTls,
  SignedGatewayOptions,
  UnsignedGatewayOptions,
} from './options.js'
