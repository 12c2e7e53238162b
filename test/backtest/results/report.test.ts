import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { ConfigurationError } from 'svc-streams'
import { NEVER, of } from 'rxjs'
import {
  cancel,
  market,
  paper,
  renderReport,
  summaryOf,
  type Filled,
  type PaperEvent,
  type ReportOptions,
} from 'svc-streams/paper'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { chartScript, chartScriptHash } from '../../../src/view/page/built-chart.js'
import { builtChart } from '../../../scripts/page/build-chart.js'
import { tokens } from '../account/support/scenario.js'
import { randomEvents } from './support/events.js'

const fill = (index: number, side: 'buy' | 'sell' = 'buy'): Filled => ({
  ...{ _tag: 'Filled', id: String(index), order: market('X', side, { units: 100n }), symbol: 'X', side },
  ...{ decidedAt: index, at: index, price: 10, quantity: 100n, valueUsd: 10, feeUsd: 0.1, slippageUsd: 0 },
  remaining: 0n,
})

const equity = (at: number, equityUsd: number, isCurrent = true): PaperEvent => ({
  _tag: 'Equity',
  ...{ at, equityUsd, isCurrent, prices: { X: equityUsd / 100 } },
})

/** The number of start tags, and of end tags, of an element. */
const tagsOf = (html: string, name: string): readonly [number, number] => [
  html.match(new RegExp(`<${name}[ >]`, 'g'))?.length ?? 0,
  html.match(new RegExp(`</${name}>`, 'g'))?.length ?? 0,
]

/** Without the script of the charts, and their data. */
const withoutScripts = (html: string): string =>
  html
    .replace(`<script>${chartScript}</script>`, '')
    .replace(/<script type="application\/json">.*<\/script>/g, '')

/** Numbers of tables are aligned by a class. */
const withoutClasses = (html: string): string => html.replaceAll(' class="number"', '')

describe('renderReport', () => {
  it('is well formed for any events, and has no reference to anything outside', () => {
    fc.assert(
      fc.property(randomEvents, (events) => {
        const html = withoutScripts(renderReport(events, { title: 'Run' }))
        for (const name of [
          'main',
          'figure',
          'svg',
          'table',
          'thead',
          'tr',
          'th',
          'td',
          'div',
          'dl',
          'p',
          'h2',
        ]) {
          const [starts, ends] = tagsOf(html, name)
          expect(ends, name).toBe(starts)
        }
        expect(html).not.toMatch(/NaN|undefined|Infinity|null/)
        expect(html.replace('url(#hatch)', '')).not.toMatch(/https?:|url\(|<script|<link|<img|@import| src=/)
      }),
    )
  })

  it('allows its own script alone, by its hash', () => {
    expect(chartScriptHash).toBe(`sha256-${createHash('sha256').update(chartScript).digest('base64')}`)
    expect(renderReport([equity(0, 1)], { title: 'Run' })).toContain(`default-src 'none'`)
    expect(renderReport([equity(0, 1)], { title: 'Run' })).toContain(`script-src '${chartScriptHash}'`)
  })

  it('has the script and the style of the chart, as `npm run build:chart` writes them', async () => {
    expect(readFileSync('src/view/page/built-chart.ts', 'utf8')).toBe(await builtChart())
  })

  it('escapes the title, the notes, symbols and reasons', () => {
    const text = '<img src=x onerror="alert(1)">&\u202e'
    const rejected: PaperEvent = {
      ...{ _tag: 'Rejected', id: text, order: market(text, 'buy', { units: 1n }), decidedAt: 0, at: 0 },
      reason: text,
    }
    const named = [fill(1), fill(2, 'sell')].map((each) => ({ ...each, symbol: text }))
    const html = renderReport([equity(0, 1), ...named, rejected], { title: text, notes: [text] })
    expect(html).not.toContain('<img')
    expect(html).not.toContain('\u202e')
    // A URL cannot contain half of a character.
    const halves = [fill(1), fill(2, 'sell')].map((each) => ({ ...each, symbol: '\ud800' }))
    expect(renderReport([equity(0, 1), ...halves], { title: 'Run' })).toContain(encodeURIComponent('\\ud800'))
    expect(html.split('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;').length).toBeGreaterThan(5)
  })

  it('shows each figure of the summary, a dash for one without a meaning, the fills, and why others failed', () => {
    const events = [
      equity(0, 1_000),
      fill(1),
      fill(2, 'sell'),
      equity(60_000, 1_100),
      equity(120_000, 990),
      { _tag: 'Cancelled', id: '3', order: market('X', 'buy', { units: 1n }), at: 3, remaining: 1n } as const,
    ]
    const html = withoutClasses(renderReport(events, { title: 'Run', notes: ['Fee 2 bps.'] }))
    expect(summaryOf(events)).toMatchObject({ returnRatio: -0.01, maxDrawdown: 0.1, roundTrips: 1 })
    for (const text of [
      '<dt>Profit, USD</dt><dd>-10.00</dd>',
      '<dt>Return</dt><dd>-1.00 %</dd>',
      '<dt>Largest drawdown</dt><dd>10.00 %</dd>',
      '<dt>Fees, USD</dt><dd>0.2000</dd>',
      '<p>Fee 2 bps.</p>',
      '<td>cancelled, whole or in part</td><td>1</td>',
      '<dt>Round trips</dt><dd>1</dd><dd class="meaning">Positions from flat to flat</dd>',
      '<dt>Buy and hold X</dt><dd>-1.00 %</dd>',
      'download="round-trips.csv" href="data:text/csv',
      '1970-01-01 00:00:00 to 1970-01-01 00:02:00 UTC',
    ])
      expect(html).toContain(text)
    expect(renderReport([equity(0, 1)], { title: 'Run' })).toContain('<dt>Sharpe</dt><dd>–</dd>')
  })

  it('counts the rejected orders by their reasons, whatever the details are', () => {
    const events: PaperEvent[] = []
    const account = { tokens, cash: 1, feeBps: 0, slippageBps: 0, latency: 0 }
    const client = createTestClient({ prices: { [tokens.X.topic]: NEVER } })
    paper(client, () => of(cancel('7'), cancel('8')), account).subscribe((event) => events.push(event))
    const html = withoutClasses(renderReport(events, { title: 'Run' }))
    expect(html).toContain('<td>no order with this id is open: 7</td><td>2</td>')
  })

  it('names the positions that are open at the end', () => {
    const position = { symbol: 'X', quantity: 1n, averagePrice: 1, unrealisedUsd: -12.5 }
    const account = { at: 1, cashUsd: 0, equityUsd: 1, feesUsd: 0, positions: [position] }
    const stopped: readonly PaperEvent[] = [equity(0, 1), fill(1), { _tag: 'Account', ...account }]
    expect(renderReport(stopped, { title: 'Run' })).toContain(
      '<p>A position of X is open at the end, with an unrealised profit of -12.50 USD.</p>',
    )
    // A later run of the journal has closed it, and was killed.
    const killed = [...stopped, fill(2, 'sell'), equity(2, 1)]
    expect(renderReport(killed, { title: 'Run' })).not.toContain('is open at the end')
  })

  it('draws a gap where the value is not current', () => {
    const events = [equity(0, 1), equity(1, 2), equity(2, 2, false), equity(3, 2), equity(4, 3)]
    expect(renderReport(events, { title: 'Run' })).toMatch(/class="line" d="M0,220L250,120M750,120L1000,20"/)
  })

  it('draws what the first equity would be worth if it were held, beside the equity', () => {
    const at = (ms: number, equityUsd: number, price: number): PaperEvent => ({
      ...{ _tag: 'Equity', at: ms, equityUsd, isCurrent: true, prices: { X: price } },
    })
    const html = renderReport([at(0, 1_000, 4), at(100, 1_000, 6), at(200, 1_000, 8)], { title: 'Run' })
    const [, y = ''] = /class="line" d="M0,([\d.]+)L500,/.exec(html) ?? []
    // From the equity up to twice as much, in a straight line.
    expect(html).toMatch(new RegExp(`class="other dashes-0" d="M0,${y}L500,120L1000,[\\d.]+"`))
    expect(html).toContain('<path class="other dashes-0" d="M0,4.5H28"/></svg> buy and hold X</span>')
  })

  it('leaves out what is before `from`', () => {
    const events = [equity(0, 100), fill(1), equity(2, 200), equity(3, 300)]
    const html = renderReport(events, { title: 'Run', from: 2 })
    expect(html).toContain('<dt>Profit, USD</dt><dd>100.00</dd>')
    expect(html).toContain('<dt>Fills</dt><dd>0</dd>')
  })

  it('counts the gaps of the data, hatches them, and draws no line through them', () => {
    const events = [equity(0, 1), equity(10_000, 2), equity(90_000, 2), equity(100_000, 3)]
    const gaps = { X: [{ from: 20_000, to: 80_000 }] }
    const html = withoutClasses(
      renderReport(events, { title: 'Run', gaps, command: 'npx svc-streams backtest <a>' }),
    )
    // Until the next value.
    expect(html.match(/class="gaps" d="M200,0H900V\d+H200Z"/g)).toHaveLength(2)
    expect(html).toMatch(/class="line" d="M0,[\d.]+L100,[\d.]+M900,[\d.]+L1000,[\d.]+"/)
    expect(html).toContain('<p>1 gap in the data, 1 min in all: hatched in the charts.')
    expect(html).toContain('<pre><code>npx svc-streams backtest &lt;a&gt;</code></pre>')
  })

  it('labels the axes with round values and times', () => {
    const labelsOf = (to: number, low: number, high: number) => {
      const html = renderReport([equity(0, low), equity(to, high)], { title: 'Run' })
      const chart = html.slice(html.indexOf('<svg class="values"'), html.indexOf('</figure>'))
      return [...chart.matchAll(/<text [^>]+>([^<]+)</g)].map(([, label]) => label)
    }
    const day = 86_400_000
    expect(labelsOf(60_000, 0.000_001, 0.000_002)).toEqual([
      ...['0.0000010', '0.0000012', '0.0000014', '0.0000016', '0.0000018', '0.0000020'],
      ...Array.from({ length: 11 }, (_, index) => `00:00:${String(5 * index + 5).padStart(2, '0')}`),
    ])
    expect(labelsOf(1.5 * day, 99_950, 100_020)).toEqual([
      ...['99,950', '99,960', '99,970', '99,980', '99,990', '100,000', '100,010', '100,020'],
      ...['01-01 04:00', '01-01 08:00', '01-01 12:00', '01-01 16:00', '01-01 20:00', '01-02'],
      ...['01-02 04:00', '01-02 08:00'],
    ])
    expect(labelsOf(365 * day, 7, 7)).toEqual([
      ...['6.9992', '6.9994', '6.9996', '6.9998', '7.0000', '7.0002', '7.0004', '7.0006'],
      ...Array.from({ length: 11 }, (_, index) => `1970-${String(index + 2).padStart(2, '0')}`),
    ])
  })

  it.each([
    [undefined, 'options: expected an object'],
    [{}, 'title: expected a text'],
    [{ titel: 'Run' }, 'titel: did you mean title?'],
    [{ title: 'Run', notes: [1] }, 'notes: expected a list of texts'],
    [{ title: 'Run', gaps: { X: 1 } }, 'gaps: expected an object with a list'],
    [{ title: 'Run', sampleMs: 0 }, 'sampleMs: expected a number'],
  ])('throws for the options %j', (options, message) => {
    const call = () => renderReport([], options as ReportOptions)
    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(message)
  })

  it('has a bounded size for a long run', () => {
    const events = Array.from({ length: 11_000 }, (_, index) => [
      fill(index),
      fill(index, 'sell'),
      equity(index, 1_000 + (index % 77)),
    ])
    const html = renderReport(events.flat(), { title: 'Run' })
    expect(html).toContain('Round trips: the first 1,000 of 11,000')
    expect(html.length).toBeLessThan(700_000)
  })
})
