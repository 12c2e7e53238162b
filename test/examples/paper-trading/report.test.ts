import fc from 'fast-check'
import { defineTokens } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import type { Equity } from '../../../examples/paper-trading/account.js'
import { advance, initialState, type BrokerEvent } from '../../../examples/paper-trading/broker.js'
import { money } from '../../../examples/paper-trading/money.js'
import { buy, sell } from '../../../examples/paper-trading/order.js'
import { settingsOf } from '../../../examples/paper-trading/settings.js'
import { toReport$, type Report } from '../../../examples/paper-trading/report/report.js'
import { axisOf, scaleOf } from '../../../examples/paper-trading/report/scale.js'
import { summaryOf } from '../../../examples/paper-trading/report/summary.js'
import { renderSvg } from '../../../examples/paper-trading/report/svg.js'
import { renderTable } from '../../../examples/paper-trading/report/table.js'
import { timeSteps, timeText } from '../../../examples/paper-trading/report/time-axis.js'
import { thin } from '../../../examples/paper-trading/report/thin.js'
import { left, right } from 'fp-ts/lib/Either.js'
import { depth, price, stale } from 'svc-streams/testing'
import { from, lastValueFrom } from 'rxjs'

const { ETH } = defineTokens({ ETH: { address: '0xee', decimals: 18 } })
const start = Date.UTC(2026, 10, 22, 10)

const priceAt = (ms: number, usd: number): BrokerEvent => ({
  _tag: 'Price',
  symbol: 'ETH',
  event: right(price(ETH.topic, usd, { receivedAt: start + ms })),
})
const side = { totalQuantity: 2n * 10n ** 18n, totalQuantityUsd: 1 }
const book: BrokerEvent = {
  _tag: 'Depth',
  symbol: 'ETH',
  event: right(depth(ETH.address, { buy: side, sell: side, receivedAt: start })),
}
const lost: BrokerEvent = { _tag: 'Price', symbol: 'ETH', event: left(stale(ETH.topic, 1_000, undefined)) }

const events: readonly BrokerEvent[] = [
  book,
  priceAt(0, 2_000),
  { _tag: 'Order', order: buy('ETH', { units: 3n * 10n ** 18n }) },
  priceAt(60, 2_000.5),
  { _tag: 'Order', order: sell('ETH', { units: 5n * 10n ** 17n }) },
  priceAt(1_200, 2_010),
  lost,
  { _tag: 'Order', order: buy('ETH', { usd: 12.5 }) },
  priceAt(2_400, 1_990.25),
  { _tag: 'End' },
]

const reportOf = (all: readonly BrokerEvent[]): Promise<Report> => {
  const settings = settingsOf({
    tokens: [ETH],
    cash: 10_000,
    feeBps: 10,
    depthShareBps: 10_000,
    maxDepthAge: 9_000,
  })
  let state = initialState(settings)
  const emitted = all.flatMap((event) => (state = advance(settings)(state, event)).emitted)
  return lastValueFrom(toReport$(from(emitted)))
}

describe('the report', () => {
  it('is a table with columns of a fixed width', async () => {
    expect(renderTable(await reportOf(events)).split('\n')).toEqual([
      'TIME, UTC     SIDE  TOKEN         ORDERED          FILLED    PRICE, USD    FEE, USD',
      '10:00:00.060  buy   ETH          3.000000        2.000000      2,000.50      4.0010  partly',
      '10:00:01.200  sell  ETH          0.500000        0.500000      2,010.00      1.0050',
      '10:00:01.200  buy   ETH          12.5 USD        rejected                            Stale: svc-0xee: no price for 1000 ms; none on this connection yet',
      '',
      'TOKEN           POSITION    AVERAGE COST      PRICE, USD      VALUE, USD      UNREALISED',
      'ETH             1.500000        2,000.50        1,990.25        2,985.38          -15.38',
      '',
      'cash at the start          10,000.00 USD',
      'realised                        4.75 USD',
      'unrealised                    -15.38 USD',
      'fees                           -5.01 USD',
      'equity                      9,984.37 USD',
      'largest drawdown              -29.63 USD',
    ])
  })

  it('has a summary of plain numbers', async () => {
    const summary = summaryOf(await reportOf(events))
    expect(summary).toMatchObject({ filled: 2, rejected: 1 })
    expect(summary.profit).toBeCloseTo(-15.631, 9)
    expect(summary.fees).toBeCloseTo(5.006, 9)
    expect(structuredClone(summary)).toEqual(summary)
  })

  it('is a chart with a title, a description, axes, a gap while a price is lost, and the fills', async () => {
    const svg = renderSvg(await reportOf(events), 'Equity of <A & "B">')
    expect(svg).toContain('role="img" aria-labelledby="title description"')
    expect(svg).toContain('<title id="title">Equity of &lt;A &amp; &quot;B&quot;&gt;</title>')
    expect(svg).toMatch(
      /<desc id="description">From 10,000\.00 to 9,984\.37 USD, .* 2 of 3 orders filled\.<\/desc>/,
    )
    expect(svg).toContain('@media (prefers-color-scheme: dark)')
    expect(svg).toContain('>10:00:02.000</text>')
    expect(svg).toContain('>9,990</text>')
    expect(svg.match(/<polyline /g)).toHaveLength(2)
    expect(svg.match(/<polygon class="buy"/g)).toHaveLength(1)
    expect(svg.match(/<polygon class="sell"/g)).toHaveLength(1)
    expect(svg).not.toContain('NaN')
  })

  it('of a run without data has no times and no coordinates that are not numbers', async () => {
    const report = await reportOf([{ _tag: 'Order', order: buy('ETH', { usd: 1 }) }, { _tag: 'End' }])
    expect(renderTable(report)).toMatch(/^before data +buy +ETH +1 USD +rejected +no price yet$/m)
    expect(renderSvg(report, 'Equity')).not.toMatch(/NaN|Infinity/)
  })
})

describe('an axis', () => {
  it('contains all values, and has a few round ticks within them', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (values, count) => {
        const { min, max, ticks } = axisOf(values, count)
        expect(min).toBe(Math.min(...values))
        expect(max).toBeGreaterThanOrEqual(Math.max(...values))
        expect(ticks.length).toBeLessThanOrEqual(count + 1)
      }),
    )
  })

  it.each([
    ['400 ms', 400, ['10:00:00.000', '10:00:00.100', '10:00:00.200', '10:00:00.300', '10:00:00.400']],
    ['4 s', 4_000, ['10:00:00', '10:00:01', '10:00:02', '10:00:03', '10:00:04']],
    ['50 minutes', 3_000_000, ['10:00:00', '10:10:00', '10:20:00', '10:30:00', '10:40:00', '10:50:00']],
    ['a day', 86_400_000, ['11-22 12:00', '11-22 18:00', '11-23 00:00', '11-23 06:00']],
  ])('of %s has round times', (_, duration, expected) => {
    const axis = axisOf([start, start + duration], 5, timeSteps)
    expect(axis.ticks.map((tick) => timeText(tick, axis))).toEqual(expected)
  })
})

describe('a thinned curve', () => {
  it('keeps the extremes, the order and the ends, in at most four points for each unit', () => {
    const curve = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 500 })
    fc.assert(
      fc.property(curve, (amounts) => {
        const points = amounts.map((usd, at): Equity => {
          return { _tag: 'Equity', at, equity: money(Math.abs(usd)), isCurrent: true }
        })
        const width = 10
        const x = scaleOf(
          axisOf(
            points.map(({ at }) => at),
            5,
          ),
          0,
          width,
        )
        const kept = thin(points, x, width)
        expect(kept.length).toBeLessThanOrEqual(4 * (width + 1))
        expect(kept.map(({ at }) => at)).toEqual(kept.map(({ at }) => at).sort((a, b) => a - b))
        expect([kept[0], kept.at(-1)]).toEqual([points[0], points.at(-1)])
        const most = (all: readonly Equity[]) =>
          all.reduce((high, { equity }) => (equity > high ? equity : high), 0n)
        expect(most(kept)).toBe(most(points))
      }),
    )
  })
})
