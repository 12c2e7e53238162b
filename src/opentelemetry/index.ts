/**
 * The diagnostics of the library as OpenTelemetry metrics and spans. Needs the package `@opentelemetry/api`.
 *
 * @module
 */

export { instrument } from './instrument.js'
export type { InstrumentOptions } from './options.js'
