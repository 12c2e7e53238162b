import type { Attributes, MetricOptions } from '@opentelemetry/api'

/**
 * The part of OpenTelemetry's `Meter` that the metrics of this library need. `I`: the type of an observable instrument.
 * OpenTelemetry's own meters have it, and so has the one that a command serves to Prometheus.
 */
export interface MetricMeter<I> {
  createCounter(name: string, options: MetricOptions): SumInstrument
  createHistogram(name: string, options: MetricOptions): DistributionInstrument
  createObservableCounter(name: string, options: MetricOptions): I
  createObservableUpDownCounter(name: string, options: MetricOptions): I
  createObservableGauge(name: string, options: MetricOptions): I
  addBatchObservableCallback(callback: (result: ObservedValues<I>) => void, instruments: I[]): void
  removeBatchObservableCallback(callback: (result: ObservedValues<I>) => void, instruments: I[]): void
}

export interface SumInstrument {
  add(value: number, attributes: Attributes): void
}

export interface DistributionInstrument {
  record(value: number, attributes: Attributes): void
}

/** Receives the values of the observable instruments at one collection. */
export interface ObservedValues<I> {
  observe(instrument: I, value: number, attributes: Attributes): void
}
