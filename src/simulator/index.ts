/**
 * A simulator of the service for tests and local development: real sockets on loopback, with fault injection.
 *
 * @module
 */

export { startSimulator } from './start-simulator.js'
export type { Simulator } from './start-simulator.js'
export type { SimulatorOptions } from './options.js'
export { SimulatorError } from './simulator-error.js'

// Network faults.
export { startTcpProxy, type TcpProxy, type TcpProxyOptions } from './network/tcp-proxy.js'

// Received requests and frames.
export type { ConnectionView, ReceivedFrame, ReceivedRequest } from './service/service-context.js'

// Faults of the service.
export type { Drop, Faults, Garbage, HttpFaults, SocketFaults } from './faults/faults.js'

// Sources of prices.
export type { Market, Quote, Token } from './market/market.js'
export type { TokenOptions } from './market/token-options.js'
export { recordedMarket, type RecordedMarketOptions } from './market/recorded-market.js'
export { randomWalk, type RandomWalkOptions } from './market/random-walk.js'
export { combinedMarket } from './market/market.js'
