import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, takeWhile, toArray, type Observable } from 'rxjs'
import type { Price } from 'svc-streams'
import type { CaughtUp, PastEvent } from 'svc-streams/history'
import { expect } from 'vitest'

/** An event of a past that is joined to live prices. */
export type Joined = Either<unknown, PastEvent | CaughtUp | Price>

/** The past and live prices, in order. */
export const pricesOf = (events: readonly Joined[]): readonly number[] =>
  events.flatMap((event) => (isRight(event) && 'price' in event.right ? [event.right.price] : []))

/**
 * The prices of a joined stream until its 20th live price. The stream must be more than 100 past prices, then `CaughtUp`,
 * then live prices.
 */
export const joinedPrices = async (joined$: Observable<Joined>): Promise<readonly number[]> => {
  let liveCount = 0
  const isBeforeLast = (event: Joined): boolean => isLeft(event) || '_tag' in event.right || ++liveCount < 20
  const joined = await firstValueFrom(joined$.pipe(takeWhile(isBeforeLast, true), filter(isRight), toArray()))
  const tags = joined.map(({ right }) => ('_tag' in right ? right._tag : 'Price'))
  expect(tags.join(' ')).toMatch(/^Gap( PastPrice)+( Gap)? CaughtUp( Price)+$/)
  const prices = pricesOf(joined)
  expect(prices.length).toBeGreaterThan(120)
  return prices
}
