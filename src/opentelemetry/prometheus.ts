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

/** Counts the diagnostics of all clients and gateways of the process from now on. */
export const prometheusMetrics = (): PrometheusMetrics => {
  const meter = new PrometheusMeter()
  const stops = [eventMetrics(meter), stateMetrics(meter)]
  return {
    render: () => meter.render(),
    stop: () => {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

type Kind = 'counter' | 'gauge' | 'histogram'

class PrometheusMeter implements MetricMeter<Family> {
  private readonly families: Family[] = []
  private readonly callbacks = new Set<(result: ObservedValues<Family>) => void>()

  createCounter(name: string, options: MetricOptions): SumInstrument {
    return this.familyOf('counter', name, options)
  }

  createHistogram(name: string, options: MetricOptions): DistributionInstrument {
    return this.familyOf('histogram', name, options)
  }

  createObservableCounter(name: string, options: MetricOptions): Family {
    return this.familyOf('counter', name, options)
  }

  createObservableUpDownCounter(name: string, options: MetricOptions): Family {
    return this.familyOf('gauge', name, options)
  }

  createObservableGauge(name: string, options: MetricOptions): Family {
    return this.familyOf('gauge', name, options)
  }

  addBatchObservableCallback(callback: (result: ObservedValues<Family>) => void): void {
    this.callbacks.add(callback)
  }

  removeBatchObservableCallback(callback: (result: ObservedValues<Family>) => void): void {
    this.callbacks.delete(callback)
  }

  render(): string {
    const result: ObservedValues<Family> = {
      observe: (family, value, attributes) => family.set(value, attributes),
    }
    for (const callback of this.callbacks) callback(result)
    return this.families.map((family) => family.render()).join('')
  }

  private familyOf(kind: Kind, name: string, options: MetricOptions): Family {
    const family = new Family(kind, familyName(kind, name, options.unit), options)
    this.families.push(family)
    return family
  }
}

/** Suffixes of Prometheus for the units of OpenTelemetry. Other units, such as `{price}` and `1`, have none. */
const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

/** Dots become underscores. A counter ends in `_total`. */
const familyName = (kind: Kind, name: string, unit = ''): string =>
  `${name.replaceAll('.', '_')}${unitSuffixes[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`

interface Distribution {
  /** Number of values, by bucket. Values above the last boundary have none. */
  readonly counts: number[]
  count: number
}

/** The series of one metric, by the text of their labels. */
class Family implements SumInstrument, DistributionInstrument {
  private readonly values = new Map<string, number>()
  private readonly distributions = new Map<string, Distribution>()
  private readonly boundaries: readonly number[]

  constructor(
    private readonly kind: Kind,
    private readonly name: string,
    private readonly options: MetricOptions,
  ) {
    this.boundaries = options.advice?.explicitBucketBoundaries ?? []
  }

  add(value: number, attributes: Attributes): void {
    const labels = labelsOf(attributes)
    this.values.set(labels, (this.values.get(labels) ?? 0) + value)
  }

  set(value: number, attributes: Attributes): void {
    this.values.set(labelsOf(attributes), value)
  }

  /** Adds a value to a histogram. Its sum is the value of the series. */
  record(value: number, attributes: Attributes): void {
    const labels = labelsOf(attributes)
    const found = this.distributions.get(labels)
    const distribution = found ?? { counts: this.boundaries.map(() => 0), count: 0 }
    if (found === undefined) this.distributions.set(labels, distribution)
    this.add(value, attributes)
    distribution.count++
    const bucket = this.boundaries.findIndex((boundary) => value <= boundary)
    if (bucket >= 0) distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1
  }

  render(): string {
    const { name, kind, options, values } = this
    if (values.size === 0) return ''
    const help = escape(options.description ?? '')
    const lines = Array.from(values, ([labels, value]) => {
      const distribution = this.distributions.get(labels)
      return distribution === undefined
        ? line(name, labels, value)
        : this.renderDistribution(labels, value, distribution)
    })
    return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
  }

  private renderDistribution(labels: string, sum: number, { counts, count }: Distribution): string {
    const bucket = (boundary: string, number: number) =>
      line(
        `${this.name}_bucket`,
        [labels, `le="${boundary}"`].filter((text) => text !== '').join(','),
        number,
      )
    let total = 0
    const buckets = counts.map((number, index) => bucket(String(this.boundaries[index]), (total += number)))
    return [
      ...buckets,
      bucket('+Inf', count),
      line(`${this.name}_sum`, labels, sum),
      line(`${this.name}_count`, labels, count),
    ].join('')
  }
}

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`

const labelsOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name.replaceAll('.', '_')}="${escape(String(value)).replaceAll('"', '\\"')}"`)
    .join(',')

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
