import { isLeft } from 'fp-ts/lib/Either.js'
import type { Disconnected, Price, PriceError, Stale, Topic } from 'svc-streams'
import type { Recorded } from '../../support/simulator.js'

export type Prices = Recorded<PriceError, Price>

const lefts = ({ events }: Prices): readonly PriceError[] => events.filter(isLeft).map(({ left }) => left)

export const disconnects = (prices: Prices): readonly Disconnected[] =>
  lefts(prices).filter((error): error is Disconnected => error._tag === 'Disconnected')

export const stales = (prices: Prices): readonly Stale[] =>
  lefts(prices).filter((error): error is Stale => error._tag === 'Stale')

/** `count` different topics. */
export const topics = (count: number): readonly Topic[] =>
  Array.from({ length: count }, (_, index): Topic => `svc-0x${(index + 1).toString(16)}`)

/** Pseudo-random numbers in [0, 1), the same in every run. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
