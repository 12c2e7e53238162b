import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { objectOption, type OptionTable } from '../option-kinds/option.js'
import type { InstrumentOptions } from './options.js'

export const instrumentTable = {
  meterProvider: objectOption<MeterProvider>(['getMeter']),
  tracerProvider: objectOption<TracerProvider>(['getTracer']),
} satisfies OptionTable<InstrumentOptions>
