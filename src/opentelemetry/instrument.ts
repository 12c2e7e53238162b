import {
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type BatchObservableCallback,
  type Meter,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import { objectOption, type OptionTable } from '../base/option-kinds/option.js'
import { parseOptions } from '../base/option-kinds/parse-options.js'
import { eventMetrics } from './event-metrics.js'
import { stateMetrics } from './state-metrics.js'
import type { DepthError } from '../base/errors/model.js'
import { currentClock } from '../base/time/clock.js'
import { errorAttributes, isStatus, listen, serverAttributes } from './messages.js'

/** The name of the meter and of the tracer. */
const scope = 'svc-streams'

/**
 * Turns the diagnostics of all clients and gateways of the process into OpenTelemetry metrics, and each poll into one
 * client span. Call this function once, at any time. It needs no reference to a client. Attributes contain hosts,
 * states and kinds of errors, never a topic, a mint, a key or a signature. Throws a `ConfigurationError` if an option
 * is invalid.
 *
 * Returns a function that stops the instrumentation.
 *
 * @example
 * const stop = instrument()
 * stop()
 */
export const instrument = (options: InstrumentOptions = {}): (() => void) => {
  const { meterProvider = metrics, tracerProvider = trace } = parseOptions(instrumentTable, options)
  const meter = meterProvider.getMeter(scope)
  const stops = [eventMetrics(meter), observeState(meter), pollSpans(tracerProvider.getTracer(scope))]
  return () => {
    for (const stop of stops.splice(0)) stop()
  }
}

/** Reads the state at each collection. Returns the function that stops that. */
const observeState = (meter: Meter): (() => void) => {
  const state = stateMetrics()
  const creators = {
    count: 'createObservableUpDownCounter',
    total: 'createObservableCounter',
    gauge: 'createObservableGauge',
  } as const
  const instruments = state.all.map(({ kind, name, unit, description }) =>
    meter[creators[kind]](name, { unit, description }),
  )
  const collect: BatchObservableCallback = (result) => {
    state.collect()
    for (const [index, instrument] of instruments.entries())
      for (const { attributes, value } of state.all[index]?.series ?? [])
        result.observe(instrument, value, attributes)
  }
  meter.addBatchObservableCallback(collect, instruments)
  return () => {
    state.stop()
    meter.removeBatchObservableCallback(collect, instruments)
  }
}

const route = '/v0/order_book/depth/{mint}'

/** One client span per poll, without a parent, because its subscribers share it. Returns the function that stops that. */
const pollSpans = (tracer: Tracer): (() => void) =>
  listen({
    'svc-streams:poll': ({ host, durationMs, error }) => {
      const endTime = currentClock().wallClock()
      const status = statusOf(error)
      const span = tracer.startSpan(`GET ${route}`, {
        kind: SpanKind.CLIENT,
        root: true,
        startTime: endTime - durationMs,
        attributes: {
          'http.request.method': 'GET',
          ...serverAttributes(host),
          'url.template': route,
          ...(isStatus(status) ? { 'http.response.status_code': status } : {}),
          ...errorAttributes(error?._tag),
        },
      })
      // The message is omitted, because it contains the mint.
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endTime)
    },
  })

/** The status of the response; `undefined` if it is not known. */
const statusOf = (error: DepthError | undefined): number | undefined => {
  if (error?._tag === 'HttpError') return error.status
  return error === undefined ? 200 : statuses[error._tag]
}

const statuses: Partial<Record<DepthError['_tag'], number>> = { Unauthorized: 401, UnsupportedPair: 500 }

/**
 * Options of `instrument`. An absent option has its default. An invalid value, an explicit `undefined` and a misspelt
 * option name throw a `ConfigurationError`.
 */
export interface InstrumentOptions {
  /** Provider of the metrics. Default: the global provider, which must be registered before this call. */
  readonly meterProvider?: MeterProvider
  /** Provider of the spans. Default: the global provider. */
  readonly tracerProvider?: TracerProvider
}

/** @internal */
export const instrumentTable = {
  meterProvider: objectOption<MeterProvider>(['getMeter']),
  tracerProvider: objectOption<TracerProvider>(['getTracer']),
} satisfies OptionTable<InstrumentOptions>
