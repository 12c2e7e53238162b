import { setTimeout as wait } from 'node:timers/promises'
import { isRight, right } from 'fp-ts/lib/Either.js'
import {
  concatMap,
  defer,
  filter,
  ignoreElements,
  interval,
  map,
  merge,
  mergeMap,
  Subject,
  switchMap,
  take,
  timer,
  type Observable,
} from 'rxjs'
import type { History } from 'svc-streams/history'
import type { Price } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import {
  cancel,
  limit,
  market,
  paper,
  type Order,
  type PaperAccount,
  type PaperEvent,
} from 'svc-streams/paper'
import { resume, type StrategyClient } from 'svc-streams/recording'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { account, tokens } from '../../account/support/scenario.js'
import { blockEventLoop } from '../../../support/time/event-loop.js'
import { eventually } from '../../../support/time/eventually.js'

// After the border, only events, timers and what a promise decides move the clock of a strategy.

const { topic, address } = tokens.X
const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }

const quietClient = () => {
  const price$ = new Subject<Price>()
  const depth$ = new Subject<ReturnType<typeof depth>>()
  const client = createTestClient({
    ...{ prices: { [topic]: price$ }, depths: { [address]: depth$ }, stamp: true },
  })
  return { client, price$, depth$ }
}

/** An account that is live, with a price and a depth, and then a silent market. */
const startLive = async (strategy$: (client: StrategyClient, own: PaperAccount) => Observable<Order>) => {
  const { client, price$, depth$ } = quietClient()
  const events: (PaperEvent | { readonly _tag: 'CaughtUp' })[] = []
  const running = resume(client, [], (own) => paper(own, strategy$, account)).subscribe((event) =>
    events.push(event),
  )
  onTestFinished(() => running.unsubscribe())
  await eventually(() => expect(events).toHaveLength(1))
  depth$.next(depth(address, { buy: side, sell: side, timestamp: 1 }))
  price$.next(price(topic, 10))
  return { price$, depth$, events }
}

test('an order after a promise is decided at the present, after the timers that are due', async () => {
  let decided = 0
  const { price$, events } = await startLive((client) =>
    merge(
      timer(310).pipe(map(() => market('X', 'buy', { units: 1n }, { rest: 'work', id: 'of a timer' }))),
      client.price$(topic).pipe(
        rights(),
        take(1),
        concatMap(async () => {
          await wait(300)
          blockEventLoop(50)
          decided = Date.now()
          return market('X', 'buy', { units: 1n }, { rest: 'work', id: 'of a promise' })
        }),
      ),
    ),
  )
  await eventually(() => expect(decided).toBeGreaterThan(0))
  price$.next(price(topic, 11))
  const fills = events.filter((event) => event._tag === 'Filled')
  expect(fills.map(({ id }) => id)).toEqual(['of a timer', 'of a promise'])
  expect(fills[0]!.decidedAt).toBeLessThan(decided)
  expect(fills[1]!.decidedAt).toBeGreaterThan(decided - 20)
})

test('a timer that an order after a promise starts fires in a silent market', async () => {
  const { events } = await startLive((client, { open$ }) =>
    merge(
      client.price$(topic).pipe(
        rights(),
        take(1),
        concatMap(async () => {
          await wait(20)
          return limit('X', 'buy', { units: 1n }, 5, { id: 'a' })
        }),
      ),
      open$.pipe(
        mergeMap((orders) => (orders.length > 0 ? timer(50) : [])),
        mergeMap(() => [cancel('a')]),
      ),
    ),
  )
  await eventually(() => expect(events.map(({ _tag }) => _tag)).toContain('Cancelled'))
})

test('a timer that a past of the history starts after the border fires in a silent market', async () => {
  const at = Date.now()
  const past$ = defer(async () => {
    await wait(20)
    return right({ _tag: 'PastPrice' as const, topic, price: 1, at })
  })
  const history: History = {
    prices$: () => past$,
    topics: () => () => Promise.resolve(right([])),
  }
  const { client, price$ } = quietClient()
  const values: unknown[] = []
  const running = resume(
    client,
    history,
    (own) =>
      own.price$(topic).pipe(
        filter(isRight),
        filter((event) => event.right.price === 10),
        mergeMap(() => own.history.prices$(topic, { from: at })),
        mergeMap(() => timer(20)),
      ),
    { from: at },
  ).subscribe((value) => values.push(value))
  onTestFinished(() => running.unsubscribe())
  await eventually(() => expect(values).toHaveLength(1))
  price$.next(price(topic, 10))
  await eventually(() => expect(values).toHaveLength(2))
})

test('an order of a price that a timer subscribes to is decided at the time of the timer, as in a replay', async () => {
  const { price$, events } = await startLive((client) =>
    client.price$(topic).pipe(
      rights(),
      take(1),
      switchMap(({ receivedAt }) =>
        timer(200).pipe(
          switchMap(() => client.price$(topic)),
          rights(),
          take(1),
          map(() =>
            market('X', 'buy', { units: 1n }, { rest: 'work', id: `decided at ${receivedAt + 200}` }),
          ),
        ),
      ),
    ),
  )
  const fills = () => events.filter((event) => event._tag === 'Filled')
  await eventually(() => {
    price$.next(price(topic, 11))
    expect(fills()).toHaveLength(1)
  })
  const { id, decidedAt } = fills()[0]!
  expect(id).toBe(`decided at ${decidedAt}`)
})

test('an account with a timer fills orders after the wall clock is set back by less than a second', async () => {
  const { price$, depth$, events } = await startLive((client) =>
    merge(
      interval(10).pipe(ignoreElements()),
      client.price$(topic).pipe(
        rights(),
        filter((current) => current.price > 10),
        take(1),
        map(() => market('X', 'buy', { units: 1n }, { rest: 'work' })),
      ),
    ),
  )
  const now = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 600)
  onTestFinished(() => clock.mockRestore())
  await eventually(() => {
    depth$.next(depth(address, { buy: side, sell: side, timestamp: 2 }))
    price$.next(price(topic, 11))
    expect(events.filter((event) => event._tag === 'Filled')).toHaveLength(1)
  })
})
