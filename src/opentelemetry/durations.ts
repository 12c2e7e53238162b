import type { Histogram, Meter } from '@opentelemetry/api'

/** The boundaries of OpenTelemetry's semantic conventions for durations of requests, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** A histogram of durations, in seconds. */
export const createDurations = (meter: Meter, name: string, description: string): Histogram =>
  meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } })
