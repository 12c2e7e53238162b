import type { Report } from './client-process.js'

/** The events that the user of a client received before and after a failure. Times in ms. */
export interface Observation {
  readonly reports: readonly Report[]
  readonly beganAt: number
  readonly endedAt: number
  /** When the observation ended. */
  readonly until: number
}

/** The prices that a scenario sends start here, above those of the market. */
export const firstSentPrice = 1e9

/** Prices are published every 50 ms: a client that delivers none in this period at the end has stopped. In ms. */
const lastPeriod = 5_000

const isWrong = (price: unknown): boolean =>
  typeof price !== 'number' || !Number.isFinite(price) || price <= 0

const afterTime = (ms: number): string =>
  ms < 100 ? 'immediately' : `after ${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`

const pricesSince = ({ reports }: Observation, time: number): readonly Report[] =>
  reports.filter(({ kind, subscriber, at }) => kind === 'price' && subscriber === 1 && at > time)

/** The number of the scenario's prices that the first subscriber received. */
export const sentPricesIn = (observation: Observation): number =>
  pricesSince(observation, observation.beganAt).filter(
    ({ value }) => typeof value === 'number' && value >= firstSentPrice,
  ).length

/** The greatest age of a price at its delivery. Each price is `firstSentPrice` and the ms until it was sent. */
export const oldestPrice = (observation: Observation): string => {
  const { beganAt, endedAt } = observation
  const ages = pricesSince(observation, beganAt).flatMap(({ at, value }) =>
    typeof value === 'number' && value >= firstSentPrice && at < endedAt
      ? [at - beganAt - (value - firstSentPrice)]
      : [],
  )
  return ages.length === 0 ? 'no price' : `${(Math.max(...ages) / 1000).toFixed(1)} s`
}

/** The number of prices that the first subscriber received and that are not positive numbers. */
export const wrongPricesIn = (observation: Observation): number =>
  pricesSince(observation, observation.beganAt).filter(({ value }) => isWrong(value)).length

/** The first event of the first subscriber since the failure began, or the end of the process. */
export const firstEvent = ({ reports, beganAt, until }: Observation): string => {
  const report = reports.find(
    ({ kind, subscriber, at }) =>
      at > beganAt &&
      at < until &&
      (kind === 'exit' || (subscriber === 1 && (kind === 'event' || kind === 'end'))),
  )
  if (report === undefined) return 'reports nothing'
  const name = report.kind === 'exit' ? 'the process ends' : String(report.value)
  return `${name}, ${afterTime(report.at - beganAt)}`
}

/** When the first price after the failure arrived, if prices arrived until the end of the observation. */
export const recovery = (observation: Observation): string => {
  const { endedAt, until } = observation
  const [first] = pricesSince(observation, endedAt)
  if (first === undefined || pricesSince(observation, until - lastPeriod).length === 0) return 'no prices'
  return `prices, ${afterTime(first.at - endedAt)}`
}
