/**
 * The diagnostics of the library as OpenTelemetry metrics and spans. Needs the package `@opentelemetry/api`.
 *
 * @module
 */

export type { ConnectionState, GatewayState, PollsState } from '../base/diagnostics/collector.js'
export { instrument, type InstrumentOptions } from './instrument.js'
