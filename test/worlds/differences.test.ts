import { isLeft } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  concatMap,
  delay,
  distinctUntilChanged,
  filter,
  map,
  mergeMap,
  repeat,
  switchMap,
  take,
  timer,
} from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { replay } from 'svc-streams/recording'
import { createTestClient, price as builtPrice } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { chunksOf, collect } from '../backtest/recording/support/recordings.js'
import { withoutTime } from './support/events.js'
import { runLive } from './support/live-world.js'
import type { Market } from './support/market.js'
import { runMarbles, runReplay } from './support/other-worlds.js'
import { a, b, type Strategy } from './support/strategies.js'

// What cannot be equal in all worlds: the list of docs/strategies/test.md.

const price = (topic: string): Market[number] => ({ after: 100, does: { kind: 'price', topic } })

/** The events of a strategy in each world. */
const inEachWorld = async (market: Market, strategy: Strategy) => {
  const live = runLive(market, strategy)
  return {
    live: live.lines,
    replay: await runReplay(live, strategy),
    marbles: runMarbles(live, strategy),
  }
}

it('a subscriber of the moment of Waiting gets the code of the close live and in a replay, and 1006 under marbles', async () => {
  const market: Market = [price(a), { after: 100, does: { kind: 'drop', refusals: 0 } }, price(a)]
  const codes: Strategy = (client) =>
    client.status$.pipe(
      filter(({ _tag }) => _tag === 'Waiting'),
      mergeMap(() => client.price$(a).pipe(take(1))),
      map((event) => isLeft(event) && event.left._tag === 'Disconnected' && `closed with ${event.left.code}`),
    )
  const { live, replay, marbles } = await inEachWorld(market, codes)
  expect(withoutTime(live)).toEqual(['next "closed with 1012"'])
  expect(withoutTime(replay)).toEqual(['next "closed with 1012"'])
  expect(withoutTime(marbles)).toEqual(['next "closed with 1006"'])
})

it('a topic that the service has rejected has later events live alone', async () => {
  // Before the confirmation: later, the text is about no topic.
  const rejection: Market[number] = { after: 30, does: { kind: 'reject', topic: b } }
  const again: Strategy = (client) =>
    client.price$(b).pipe(
      map((event) => (isLeft(event) ? event.left._tag : 'Price')),
      repeat({ delay: 10.007 }),
      distinctUntilChanged(),
    )
  const { live, replay } = await inEachWorld([rejection, price(b), price(b)], again)
  expect(withoutTime(live).slice(0, 2)).toEqual(['next "SubscriptionRejected"', 'next "Price"'])
  expect(withoutTime(replay)).toEqual(['next "SubscriptionRejected"'])
})

it('a timer of 0 ms takes no time under TestScheduler alone', async () => {
  const later: Strategy = (client) => client.price$(a).pipe(switchMap(() => timer(0)))
  const { live, replay, marbles } = await inEachWorld([price(a), price(a)], later)
  const times = (lines: readonly string[]) => lines.map((line) => Number(line.split(' ')[0]))
  expect(times(replay)).toEqual(times(live))
  expect(times(marbles)).toEqual(times(live).map((ms) => ms - 1))
})

it('a timer that starts after a promise is real in a replay: it does not fire once the replay has ended', async () => {
  const promised: Strategy = (client) =>
    client.price$(a).pipe(concatMap((event) => Promise.resolve(event._tag)))
  const delayed: Strategy = (client) => promised(client).pipe(delay(60_000))
  const { recording } = runLive([price(a), price(a)], promised)
  const replayed = (strategy: Strategy) => {
    const client = replay(chunksOf(recording), { speed: Infinity })
    return collect(client.run$(strategy).pipe(filter((value) => value === 'Right')))
  }
  expect(await replayed(promised)).toEqual(['Right', 'Right'])
  expect(await replayed(delayed)).toEqual([])
})

it('TestScheduler.run inside of a strategy makes the later timers of that event real where time is virtual', async () => {
  const isReal = (): boolean => Math.abs(asyncScheduler.now() - Date.now()) < 60_000
  const nested: Strategy = (client) =>
    client.price$(a).pipe(
      take(2),
      map(() => {
        const before = isReal()
        new TestScheduler(() => undefined).run(() => undefined)
        return [before, isReal()]
      }),
    )
  const expected = [false, true]
  const { recording } = runLive([price(a), price(a)], (client) => client.price$(a))
  const client = replay(chunksOf(recording), { speed: Infinity })
  expect(await collect(client.run$(nested))).toEqual([expected, expected])
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected))
  scheduler.run(({ hot, expectObservable }) => {
    const test = createTestClient({ prices: { [a]: hot('-a', { a: builtPrice(a, 1) }) } })
    expectObservable(nested(test)).toBe('-e', { e: expected })
  })
})
