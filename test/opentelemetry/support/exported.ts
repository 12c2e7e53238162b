import type { Attributes } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { instrument } from 'svc-streams/opentelemetry'
import { onTestFinished } from 'vitest'

export interface Series {
  readonly name: string
  readonly attributes: Attributes
  /** The count, for a histogram. */
  readonly value: number
}

export interface Instrumentation {
  readonly stop: () => void
  /** Collects all series now. */
  readonly collect: () => Promise<readonly Series[]>
  /** The sum over the series of a metric that have these attributes, at the last collection. */
  readonly value: (name: string, attributes?: Attributes) => number
  readonly spans: () => readonly ReadableSpan[]
}

/** Instruments the library with the SDK of OpenTelemetry and its exporters in memory, until the end of the test. */
export const startInstrumentation = (): Instrumentation => {
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const spans = new InMemorySpanExporter()
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const stop = instrument({ meterProvider, tracerProvider })
  onTestFinished(async () => {
    stop()
    await meterProvider.shutdown()
    await tracerProvider.shutdown()
  })
  let last: readonly Series[] = []
  const collect = async (): Promise<readonly Series[]> => {
    metrics.reset()
    await meterProvider.forceFlush()
    last = metrics.getMetrics().flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) =>
        scope.metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            name: descriptor.name,
            attributes,
            value: typeof value === 'number' ? value : value.count,
          })),
        ),
      ),
    )
    return last
  }
  const value = (name: string, attributes: Attributes = {}): number =>
    last
      .filter((series) => series.name === name && hasAll(series.attributes, attributes))
      .reduce((sum, series) => sum + series.value, 0)
  return { stop, collect, value, spans: () => spans.getFinishedSpans() }
}

const hasAll = (attributes: Attributes, wanted: Attributes): boolean =>
  Object.entries(wanted).every(([name, value]) => attributes[name] === value)
