/**
 * Prices and depth for many machines, over a NATS server or cluster. Needs the package `@nats-io/transport-node`.
 *
 * @module
 */

export { natsClient } from './nats-client.js'
export { startNatsGateway } from './publisher/start-nats-gateway.js'
export type { NatsClientOptions, NatsDepthClientOptions } from './client/options.js'
export type { NatsAuthenticator, NatsOptions } from './options.js'
export type { NatsGateway, NatsGatewayFailure, NatsGatewaySnapshot } from './publisher/start-nats-gateway.js'
export type { NatsGatewayOptions } from './publisher/options.js'
