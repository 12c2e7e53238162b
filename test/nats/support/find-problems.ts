import type { PriceLine } from './lines.js'

export interface Observation {
  /** The events of one consumer. */
  readonly events: readonly PriceLine[]
  /** The prices that the market emitted, ascending: each one is the time of its emission, in ms since the epoch. */
  readonly prices: readonly number[]
  /** The greatest time after the next price at which a price may be delivered, in ms. */
  readonly maxAge: number
  /** The time between two moments in which the machine was too busy, in ms. */
  readonly pauseBetween: (from: number, to: number) => number
}

/**
 * What no consumer may ever observe: prices that are not current, twice, in the wrong order, or with a gap within one epoch
 * without a `Stale`; a price after `Disconnected` with the epoch of before.
 */
export const findProblems = (observation: Observation): readonly string[] => {
  const byTopic = new Map<string, PriceLine[]>()
  for (const event of observation.events) {
    byTopic.set(event.topic, [...(byTopic.get(event.topic) ?? []), event])
  }
  return [...byTopic.values()].flatMap((events) => problemsOfTopic({ ...observation, events }))
}

const problemsOfTopic = ({ events, prices, maxAge, pauseBetween }: Observation): readonly string[] => {
  const problems: string[] = []
  const indexes = new Map(prices.map((price, index) => [price, index]))
  let last: PriceLine | undefined
  /** The epoch of the last price before the last `Disconnected`. */
  let endedEpoch = 0
  /** After a `Stale`, the newest price may be one that the consumer has, or a later one than the next. */
  let wasStale = false
  for (const event of events) {
    if (event.tag === 'Disconnected') endedEpoch = last?.epoch ?? 0
    wasStale ||= event.tag === 'Stale'
    if (event.tag !== 'Right') continue
    const { price = NaN, epoch = NaN, at } = event
    const index = indexes.get(price)
    const next = prices[(index ?? NaN) + 1] ?? at
    const age = at - next - pauseBetween(next, at)
    if (index === undefined) problems.push(`${price} was never emitted`)
    if (age > maxAge) problems.push(`${price} in epoch ${epoch} is replaced since ${age} ms`)
    if (epoch <= endedEpoch) problems.push(`${price} has the epoch ${epoch}, which has ended`)
    if (last?.price !== undefined && index !== undefined) {
      const step = index - (indexes.get(last.price) ?? NaN)
      if (epoch === last.epoch && step !== 1 && !wasStale)
        problems.push(`${price} is ${step} prices after ${last.price}`)
      if (step < 0) problems.push(`${price} follows the later price ${last.price}`)
    }
    last = event
    wasStale = false
  }
  return problems
}
