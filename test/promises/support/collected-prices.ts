import { isLeft } from 'fp-ts/lib/Either.js'
import type { Disconnected, Price, PriceError, Stale, Topic } from 'svc-streams'
import type { CollectedEvents } from '../../support/collect-events.js'

export type CollectedPrices = CollectedEvents<PriceError, Price>

const lefts = ({ events }: CollectedPrices): readonly PriceError[] =>
  events.filter(isLeft).map(({ left }) => left)

export const disconnectedErrors = (prices: CollectedPrices): readonly Disconnected[] =>
  lefts(prices).filter((error): error is Disconnected => error._tag === 'Disconnected')

export const staleErrors = (prices: CollectedPrices): readonly Stale[] =>
  lefts(prices).filter((error): error is Stale => error._tag === 'Stale')

/** Returns `count` different topics. */
export const createTopics = (count: number): readonly Topic[] =>
  Array.from({ length: count }, (_, index): Topic => `svc-0x${(index + 1).toString(16)}`)
