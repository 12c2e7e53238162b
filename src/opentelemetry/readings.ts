import type { Attributes, BatchObservableResult, Observable } from '@opentelemetry/api'

interface Series {
  readonly attributes: Attributes
  value: number
}

/**
 * The values of an observable instrument at one collection. A series that was observed once is observed with 0 afterwards:
 * exporters repeat the last value of a series that is missing.
 */
export class Readings {
  private readonly series = new Map<string, Series>()

  constructor(readonly instrument: Observable) {}

  reset(): void {
    for (const each of this.series.values()) each.value = 0
  }

  add(attributes: Attributes, value: number): void {
    this.seriesOf(attributes).value += value
  }

  /** Keeps the largest value. */
  max(attributes: Attributes, value: number): void {
    const series = this.seriesOf(attributes)
    series.value = Math.max(series.value, value)
  }

  observe(result: BatchObservableResult): void {
    for (const { attributes, value } of this.series.values())
      result.observe(this.instrument, value, attributes)
  }

  private seriesOf(attributes: Attributes): Series {
    const key = JSON.stringify(attributes)
    const series = this.series.get(key) ?? { attributes, value: 0 }
    this.series.set(key, series)
    return series
  }
}
