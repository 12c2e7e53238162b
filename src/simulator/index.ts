/**
 * The service on loopback, for tests and for trying things out: real sockets, and faults on request.
 *
 * @module
 */

export { startSimulator } from './start-simulator.js'
export type { Simulator } from './simulator.js'
export type { SimulatorOptions } from './options.js'
export { SimulatorError } from './simulator-error.js'

// The network before it.
export { startTcpProxy, type TcpProxy, type TcpProxyOptions } from './network/tcp-proxy.js'

// What it was asked.
export type { ConnectionView, ReceivedFrame, ReceivedRequest } from './service/received.js'

// How it misbehaves.
export type { Drop, Faults, Garbage, HttpFaults, SocketFaults } from './faults/faults.js'

// Where its prices come from.
export type { Market, Quote, Token } from './market/market.js'
export type { TokenOptions } from './market/token.js'
export { recordedMarket, type RecordedMarketOptions } from './market/recorded-market.js'
export { randomWalk, type RandomWalkOptions } from './market/random-walk.js'
export { combinedMarket } from './market/combined-market.js'
