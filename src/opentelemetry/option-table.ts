import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { objectOption, type OptionTable } from '../option-kinds/option.js'
import type { InstrumentOptions } from './options.js'

export const instrumentTable = {
  meterProvider: objectOption<MeterProvider>(['getMeter'], {
    meaning: 'Provider of the metrics',
    defaultText: 'the global one, which must be registered before',
  }),
  tracerProvider: objectOption<TracerProvider>(['getTracer'], {
    meaning: 'Provider of the spans',
    defaultText: 'the global one',
  }),
} satisfies OptionTable<InstrumentOptions>
