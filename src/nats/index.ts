/**
 * Prices and depth for many machines, over a NATS server or cluster. Needs the package `@nats-io/transport-node`. A
 * history also needs `@nats-io/jetstream`.
 *
 * @module
 */

export { natsClient } from './nats-client.js'
export { startNatsGateway } from './publisher/start-nats-gateway.js'
export { natsHistory, type NatsHistoryOptions } from './history/nats-history.js'
export type { NatsClientOptions, NatsDepthClientOptions } from './client/options.js'
export type { NatsAuthenticator, NatsOptions } from './connection/options.js'
export type { NatsGateway, NatsGatewaySnapshot } from './publisher/start-nats-gateway.js'
export type { NatsGatewayHistoryOptions, NatsGatewayOptions } from './publisher/options.js'
export type { CoveredTopic, History, HistoryRange } from '../backtest/recording/past/history.js'
