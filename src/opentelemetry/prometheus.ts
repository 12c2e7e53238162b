import type { Attributes, MetricOptions } from '@opentelemetry/api'
import { eventMetrics } from './event-metrics.js'
import type { DistributionInstrument, MetricMeter, ObservedValues, SumInstrument } from './meter.js'
import { stateMetrics } from './state-metrics.js'

/** The metrics of this process for Prometheus, which needs no package of OpenTelemetry. */
export interface PrometheusMetrics {
  /** The current values, in Prometheus's text format 0.0.4. */
  readonly render: () => string
  readonly stop: () => void
}

/** The media type of the text format. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

type Kind = 'counter' | 'gauge' | 'histogram'

/** Counts the diagnostics of all clients and gateways of the process from now on. */
export const prometheusMetrics = (): PrometheusMetrics => {
  const families: Family[] = []
  const callbacks = new Set<(result: ObservedValues<Family>) => void>()
  const create =
    (kind: Kind) =>
    (name: string, options: MetricOptions): Family => {
      const family = new Family(kind, familyName(kind, name, options.unit), options)
      families.push(family)
      return family
    }
  const meter: MetricMeter<Family> = {
    createCounter: create('counter'),
    createHistogram: create('histogram'),
    createObservableCounter: create('counter'),
    createObservableUpDownCounter: create('gauge'),
    createObservableGauge: create('gauge'),
    addBatchObservableCallback: (callback) => callbacks.add(callback),
    removeBatchObservableCallback: (callback) => callbacks.delete(callback),
  }
  const result: ObservedValues<Family> = {
    observe: (family, value, attributes) => family.set(value, attributes),
  }
  const stops = [eventMetrics(meter), stateMetrics(meter)]
  return {
    render: () => {
      for (const callback of callbacks) callback(result)
      return families.map((family) => family.render()).join('')
    },
    stop: () => {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

/** Suffixes of Prometheus for the units of OpenTelemetry. Other units, such as `{price}` and `1`, have none. */
const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

/** Dots become underscores. A counter ends in `_total`. */
const familyName = (kind: Kind, name: string, unit = ''): string =>
  `${name.replaceAll('.', '_')}${unitSuffixes[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`

/** One series: its value, or the sum of the values of a histogram. */
interface Series {
  value: number
  count: number
  /** Number of values up to each boundary. */
  readonly buckets: number[]
}

/** The series of one metric, by the text of their labels. */
class Family implements SumInstrument, DistributionInstrument {
  private readonly series = new Map<string, Series>()
  private readonly boundaries: readonly number[]

  constructor(
    private readonly kind: Kind,
    private readonly name: string,
    private readonly options: MetricOptions,
  ) {
    this.boundaries = options.advice?.explicitBucketBoundaries ?? []
  }

  add(value: number, attributes: Attributes): void {
    this.seriesOf(attributes).value += value
  }

  set(value: number, attributes: Attributes): void {
    this.seriesOf(attributes).value = value
  }

  /** Adds a value to a histogram. */
  record(value: number, attributes: Attributes): void {
    const series = this.seriesOf(attributes)
    series.value += value
    series.count++
    for (const [index, boundary] of this.boundaries.entries())
      if (value <= boundary) series.buckets[index] = (series.buckets[index] ?? 0) + 1
  }

  render(): string {
    const { name, kind, options, series } = this
    if (series.size === 0) return ''
    const help = escape(options.description ?? '')
    const lines = Array.from(series, ([labels, each]) =>
      kind === 'histogram' ? this.renderHistogram(labels, each) : line(name, labels, each.value),
    )
    return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
  }

  private renderHistogram(labels: string, { value, count, buckets }: Series): string {
    const { name, boundaries } = this
    const lines = [...boundaries, '+Inf'].map((boundary, index) => {
      const all = [labels, `le="${boundary}"`].filter((text) => text !== '').join(',')
      return line(`${name}_bucket`, all, buckets[index] ?? count)
    })
    return [...lines, line(`${name}_sum`, labels, value), line(`${name}_count`, labels, count)].join('')
  }

  private seriesOf(attributes: Attributes): Series {
    const labels = labelsOf(attributes)
    const series = this.series.get(labels) ?? { value: 0, count: 0, buckets: this.boundaries.map(() => 0) }
    this.series.set(labels, series)
    return series
  }
}

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`

const labelsOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name.replaceAll('.', '_')}="${escape(String(value)).replaceAll('"', '\\"')}"`)
    .join(',')

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
