import { lastValueFrom, map, merge, mergeMap, switchMap, take, tap, toArray, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import {
  closePosition,
  limit,
  market,
  paper,
  target,
  trailingStop,
  type Order,
  type PaperAccount,
  type PaperEvent,
  type PaperOptions,
} from 'svc-streams/paper'
import { record, replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import { chunksOf } from '../recording/support/recordings.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { tokens } from './support/desk.js'

const options: PaperOptions = {
  ...{ tokens, cash: 100_000, feeBps: 2, slippageBps: 0.5 },
  ...{ latency: 3, depthInterval: 20, sampleMs: 50, allowShort: true },
}

/** Orders of each kind, from prices, from depths and from what the account has emitted. */
const strategy = (client: Pick<Client, 'price$' | 'depth$'>, account: PaperAccount): Observable<Order> => {
  const price$ = client.price$(tokens.ETH.topic).pipe(rights())
  return merge(
    price$.pipe(
      mergeMap(({ price }, index) => {
        if (index % 10 === 3) return [limit('ETH', 'sell', { usd: 300 }, price, { rest: 'cancel' })]
        if (index % 10 === 6) return [market('ETH', 'buy', { usd: 200 }), market('BTC', 'sell', { usd: 200 })]
        return index % 40 === 19 ? [target('BTC', { usd: -500 })] : []
      }),
    ),
    // Also while there is no price.
    client.depth$(tokens.ETH.address, 20).pipe(map(() => market('ETH', 'buy', { usd: 10 }))),
    account.fill$.pipe(
      mergeMap(({ symbol, quantity, order }, index) =>
        index % 7 === 0 && order._tag === 'Market'
          ? [trailingStop(symbol, 'sell', { units: quantity }, { bps: 0.2 })]
          : [],
      ),
    ),
    // From a subscription that is later than that of the account.
    price$.pipe(
      take(1),
      switchMap(() => price$),
      mergeMap((_, index) => (index % 10 === 8 ? [market('ETH', 'buy', { usd: 50 })] : [])),
    ),
    account.equity$.pipe(mergeMap(({ isCurrent }) => (isCurrent ? [] : [closePosition('BTC')]))),
  )
}

const run$ = (client: Pick<Client, 'price$' | 'depth$'>): Observable<PaperEvent> =>
  paper(client, strategy, options)

it('has equal events live, with a lost connection and failed polls, and in a replay of its recording', async () => {
  const simulator = await startTestSimulator({ tick: 7 })
  const client = createClientFor(simulator, { reconnect: { initialDelay: 100, maxDelay: 100 } })
  const lines: string[] = []
  const listed = Object.values(tokens)
  const recorder = record(client, {
    topics: listed.map(({ topic }) => topic),
    mints: listed.map(({ address }) => address),
    interval: 20,
    to: {
      write: (line, done) => {
        lines.push(line)
        done()
      },
    },
  })

  const seen: PaperEvent[] = []
  const live = lastValueFrom(
    run$(client).pipe(
      tap((event) => seen.push(event)),
      toArray(),
    ),
  )
  const filled = (tag: string) =>
    seen.filter((event) => event._tag === 'Filled' && event.order._tag === tag).length
  const reasons = () => seen.flatMap((event) => (event._tag === 'Rejected' ? [event.reason] : [])).join()
  await eventually(() => expect(filled('Market')).toBeGreaterThan(20))
  await eventually(() =>
    expect(filled('Limit') * filled('TrailingStop') * filled('Target')).toBeGreaterThan(0),
  )
  simulator.dropConnections(1012)
  await eventually(() => expect(reasons()).toContain('Disconnected: '))
  simulator.inject({ httpStatus: 503 })
  await eventually(() => expect(reasons()).toContain('HttpError: '))
  simulator.inject({})
  const before = filled('Market')
  await eventually(() => expect(filled('Market')).toBeGreaterThan(before + 5))
  await client.close()
  const events = await live
  await recorder.finished

  const again = replay(chunksOf(...lines), { speed: Infinity })
  expect(await lastValueFrom(again.run$(run$).pipe(toArray()))).toEqual(events)
})
