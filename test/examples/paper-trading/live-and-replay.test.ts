import { lastValueFrom, map, merge, tap, type Observable } from 'rxjs'
import { record, replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import type { PaperEvent } from '../../../examples/paper-trading/broker.js'
import type { MarketClient } from '../../../examples/paper-trading/market.js'
import { buy, type Order } from '../../../examples/paper-trading/order.js'
import { paperTrade$ } from '../../../examples/paper-trading/paper-trade.js'
import { toReport$ } from '../../../examples/paper-trading/report/report.js'
import { renderTable } from '../../../examples/paper-trading/report/table.js'
import { renderSvg } from '../../../examples/paper-trading/report/svg.js'
import { account, order$, tokens } from '../../../examples/paper-trading/strategy.js'
import { chunksOf } from '../../backtest/recording/support/recordings.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'

const options = { ...account, latency: 3, interval: 20, sampleEvery: 50 }

/** The strategy of the example, and an order for each depth: also while there is no price. */
const everyDepth$ = (client: MarketClient): Observable<Order> =>
  merge(
    order$(client, { window: 3, entryBps: 0.1, usd: 300 }),
    client.depth$(tokens.ETH.address, options.interval).pipe(map(() => buy('ETH', { usd: 10 }))),
  )

const paper$ = (client: MarketClient): Observable<PaperEvent> => paperTrade$(client, everyDepth$, options)

it('gives equal reports for a live run and for a replay of its recording', async () => {
  const simulator = await startTestSimulator({ tick: 7 })
  const client = createClientFor(simulator, { reconnect: { initialDelay: 100, maxDelay: 100 } })
  const lines: string[] = []
  const listed = Object.values(tokens)
  const recorder = record(client, {
    topics: listed.map(({ topic }) => topic),
    mints: listed.map(({ address }) => address),
    interval: options.interval,
    to: {
      write: (line, done) => {
        lines.push(line)
        done()
      },
    },
  })

  const seen: PaperEvent[] = []
  const live = lastValueFrom(
    paper$(client).pipe(
      tap((event) => seen.push(event)),
      toReport$,
    ),
  )
  const filled = () => seen.filter(({ _tag }) => _tag === 'Filled').length
  const reasons = () => seen.flatMap((event) => (event._tag === 'Rejected' ? [event.reason] : [])).join()
  await eventually(() => expect(filled()).toBeGreaterThan(20))
  simulator.dropConnections(1012)
  await eventually(() => expect(reasons()).toContain('Disconnected: '))
  simulator.inject({ httpStatus: 503 })
  await eventually(() => expect(reasons()).toContain('HttpError: '))
  simulator.inject({})
  const before = filled()
  await eventually(() => expect(filled()).toBeGreaterThan(before + 5))
  await client.close()
  const report = await live
  await recorder.finished

  const again = replay(chunksOf(...lines), { speed: Infinity })
  const replayed = await lastValueFrom(again.run$((recorded) => paper$(recorded).pipe(toReport$)))
  expect(replayed).toEqual(report)
  expect(renderTable(replayed)).toBe(renderTable(report))
  expect(renderSvg(replayed, 'Equity')).toBe(renderSvg(report, 'Equity'))
})
