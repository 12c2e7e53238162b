/**
 * The diagnostics of the library as OpenTelemetry metrics and spans. Needs the package `@opentelemetry/api`.
 *
 * @module
 */

export { instrument, type InstrumentOptions } from './instrument.js'
