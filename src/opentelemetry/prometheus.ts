import type { Attributes } from '@opentelemetry/api'
import { eventMetrics } from './event-metrics.js'
import { Metric, stateMetrics, type MetricKind } from './state-metrics.js'

/** The media type of the text format. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** Counts the diagnostics of all clients and gateways of this process from now on. Needs no package of OpenTelemetry. */
export const prometheusMetrics = () => {
  const events: (Metric | Histogram)[] = []
  const added = <A extends Metric | Histogram>(metric: A): A => {
    events.push(metric)
    return metric
  }
  const stopEvents = eventMetrics({
    createCounter: (name, { unit = '', description = '' } = {}) =>
      added(new Metric('total', name, unit, description)),
    createHistogram: (name, { unit = '', description = '', advice } = {}) =>
      added(new Histogram(name, unit, description, advice?.explicitBucketBoundaries ?? [])),
  })
  const state = stateMetrics()
  return {
    /** The current values, in Prometheus's text format 0.0.4. */
    render: (): string => {
      state.collect()
      return [...events, ...state.all].map(render).join('')
    },
    stop: (): void => {
      stopEvents()
      state.stop()
    },
  }
}

const types = {
  total: 'counter',
  count: 'gauge',
  gauge: 'gauge',
  histogram: 'histogram',
} as const satisfies Record<MetricKind | 'histogram', string>

/** Suffixes of Prometheus for the units of OpenTelemetry. Other units, such as `{price}` and `1`, have none. */
const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

/** Dots of a name become underscores. A counter ends in `_total`. */
const render = (metric: Metric | Histogram): string => {
  const { kind, name: dotted, unit, description } = metric
  const name = `${dotted.replaceAll('.', '_')}${unitSuffixes[unit] ?? ''}${kind === 'total' ? '_total' : ''}`
  const lines =
    metric instanceof Histogram
      ? metric.lines(name)
      : Array.from(metric.series, ({ attributes, value }) => line(name, labelsOf(attributes), value))
  if (lines.length === 0) return ''
  return `# HELP ${name} ${escape(description)}\n# TYPE ${name} ${types[kind]}\n${lines.join('')}`
}

interface Distribution {
  sum: number
  count: number
  /** Number of values up to each boundary. */
  readonly buckets: number[]
}

class Histogram {
  readonly kind = 'histogram'
  /** By the text of their labels. */
  private readonly series = new Map<string, Distribution>()

  constructor(
    readonly name: string,
    readonly unit: string,
    readonly description: string,
    private readonly boundaries: readonly number[],
  ) {}

  record(value: number, attributes: Attributes = {}): void {
    const { boundaries } = this
    const labels = labelsOf(attributes)
    const series = this.series.get(labels) ?? { sum: 0, count: 0, buckets: boundaries.map(() => 0) }
    this.series.set(labels, series)
    series.sum += value
    series.count++
    for (const [index, boundary] of boundaries.entries())
      if (value <= boundary) series.buckets[index] = (series.buckets[index] ?? 0) + 1
  }

  lines(name: string): readonly string[] {
    return Array.from(this.series).flatMap(([labels, { sum, count, buckets }]) => [
      ...[...this.boundaries, '+Inf'].map((boundary, index) => {
        const all = [labels, `le="${boundary}"`].filter((text) => text !== '').join(',')
        return line(`${name}_bucket`, all, buckets[index] ?? count)
      }),
      line(`${name}_sum`, labels, sum),
      line(`${name}_count`, labels, count),
    ])
  }
}

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`

const labelsOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name.replaceAll('.', '_')}="${escape(String(value)).replaceAll('"', '\\"')}"`)
    .join(',')

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
