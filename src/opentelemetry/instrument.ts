import { metrics, trace } from '@opentelemetry/api'
import { parseOptions } from '../option-kinds/parse-options.js'
import { eventMetrics } from './event-metrics.js'
import { instrumentTable, type InstrumentOptions } from './options.js'
import { pollSpans } from './poll-spans.js'
import { stateMetrics } from './state-metrics.js'

/** The name of the meter and of the tracer. */
const scope = 'svc-streams'

/**
 * Turns the diagnostics of all clients and gateways of the process into OpenTelemetry metrics, and each poll into one
 * client span. Call it once, at any time: it needs no reference to a client. Attributes contain hosts, states and kinds of
 * errors, never a topic, a mint, a key or a signature. Throws a `ConfigurationError` if an option is invalid.
 *
 * Returns the function that stops it.
 *
 * @example
 * const stop = instrument()
 * stop()
 */
export const instrument = (options: InstrumentOptions = {}): (() => void) => {
  const { meterProvider = metrics, tracerProvider = trace } = parseOptions(instrumentTable, options)
  const meter = meterProvider.getMeter(scope)
  const stops = [eventMetrics(meter), stateMetrics(meter), pollSpans(tracerProvider.getTracer(scope))]
  return () => {
    for (const stop of stops.splice(0)) stop()
  }
}
