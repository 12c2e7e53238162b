import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { objectOption, type OptionTable } from '../option-kinds/option.js'

/**
 * Options of `instrument`. An absent option has its default. An invalid value, an explicit `undefined` and a misspelt
 * option name throw a `ConfigurationError`.
 */
export interface InstrumentOptions {
  /** Provider of the metrics. Default: the global one, which must be registered before. */
  readonly meterProvider?: MeterProvider
  /** Provider of the spans. Default: the global one. */
  readonly tracerProvider?: TracerProvider
}

/** @internal */
export const instrumentTable = {
  meterProvider: objectOption<MeterProvider>(['getMeter']),
  tracerProvider: objectOption<TracerProvider>(['getTracer']),
} satisfies OptionTable<InstrumentOptions>
