import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { left, right } from 'fp-ts/lib/Either.js'
import { depth, disconnected } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { moduleFolder } from '../../backtest/sweep/support/run-sweep.js'
import { runCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'
import { at, header, priced } from '../support/recording.js'

/** Holds one unit long or short; the profit is the difference between the last and the first price. */
const holder = `
import { map, reduce } from 'rxjs'
import { rights } from 'svc-streams/operators'
export default (client, side) => {
  if (side === 'fail') throw new Error('no side')
  const sign = side === 'long' ? 1 : -1
  return client.price$('svc-0xab').pipe(
    rights(),
    reduce(([first], { price }) => [first ?? price, price], []),
    map(([first, last]) => ({ report: { profit: sign * (last - first) }, side })),
  )
}
`

/** Prices of 100 s, one a second: they rise by 0.1 for 30 s, then fall for 30 s, and so on. */
const prices = Array.from({ length: 100 }, (_, index) => {
  const phase = index % 60
  return priced(index * 1000, 10 + (phase < 30 ? phase : 60 - phase) / 10)
})

const files = (parameters: unknown = ['long', 'short', 'fail'], module = holder): readonly string[] => {
  const folder = moduleFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return [
    write('market.ndjson', recordingText(header, ...prices)),
    write('strategy.mjs', module),
    '--parameters',
    write('parameters.json', JSON.stringify(parameters)),
  ]
}

test('prints the test range of each window, and their total', async () => {
  const args = ['sweep', ...files(), '--walk-forward', '30s/20s', '--metric', 'report.profit']
  expect(await runCommand(args)).toEqual({
    code: 0,
    stdout: `\
2026-11-21T10:00:30.000Z to 2026-11-21T10:00:50.000Z  "long"  report.profit -1.9  last {"report":{"profit":-1.9000000000000004},"side":"long"}
2026-11-21T10:00:50.000Z to 2026-11-21T10:01:10.000Z  "short"  report.profit 0.1  last {"report":{"profit":0.09999999999999964},"side":"short"}
2026-11-21T10:01:10.000Z to 2026-11-21T10:01:30.000Z  "short"  report.profit -1.9  last {"report":{"profit":-1.9000000000000004},"side":"short"}
total  3 windows  report.profit -3.7  mean -1.23333333333
`,
    stderr: '',
  })
})

test('--json prints the values of the test ranges alone, and --minimise inverts the choice', async () => {
  const flags = ['--metric', 'report.profit', '--minimise', '--to', String(at + 50_000), '--json']
  const { code, stdout } = await runCommand(['sweep', ...files(), '--walk-forward', '30s/20s', ...flags])
  expect(code).toBe(0)
  const value = { report: { profit: 1.9000000000000004 }, side: 'short' }
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      _tag: 'Right',
      right: {
        train: { from: at, to: at + 30_000 },
        test: { from: at + 30_000, to: at + 50_000 },
        parameter: 'short',
        values: [value],
        summary: { rows: 20 },
        score: 1.9000000000000004,
        trainScore: -2.9000000000000004,
      },
    },
    { _tag: 'Total', windows: 1, failed: 0, sum: 1.9000000000000004, mean: 1.9000000000000004 },
  ])
})

test('a window without a result is a failure, and says how to name a metric', async () => {
  const { code, stdout, stderr } = await runCommand([
    'sweep',
    ...files(['long']),
    '--walk-forward',
    '30s/60s',
  ])
  expect(code).toBe(1)
  expect(stdout).toBe(
    '2026-11-21T10:00:30.000Z to 2026-11-21T10:01:30.000Z  failed: no parameter has a score in the training range: the ' +
      'values have no score: the last value is no number; name one by --metric: its numbers are report.profit\n' +
      'total  0 of 1 window  no score\n',
  )
  expect(stderr).toBe(
    'error: 1 of 1 window has no result; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#walkforwarderror\n',
  )
})

test.each(['text', '--json'])('prints no value of a training range, as %s', async (format) => {
  const args = ['sweep', ...files(['long', 'short']), '--walk-forward', '30s/60s']
  const flags = format === 'text' ? [] : [format]
  for (const metric of [[], ['--metric', 'side'], ['--metric', 'nope.a']]) {
    const { code, stdout } = await runCommand([...args, ...metric, ...flags])
    expect(code).toBe(1)
    expect(stdout).not.toContain('2.9')
  }
})

test('says that a strategy without a value in the training range has none', async () => {
  const module = `import { EMPTY } from 'rxjs'\nexport default () => EMPTY\n`
  const { stdout } = await runCommand(['sweep', ...files([1], module), '--walk-forward', '30s/60s'])
  expect(stdout).toContain('the values have no score: there is no value\n')
})

test('a metric that the values lack fails with the names of their numbers', async () => {
  const args = ['sweep', ...files(['long']), '--walk-forward', '30s/60s', '--metric', 'nope']
  const { code, stdout } = await runCommand(args)
  expect(code).toBe(1)
  expect(stdout).toContain('the last value has no number nope; its numbers are report.profit\n')
})

test('fails once for a module that is no strategy', async () => {
  const args = ['sweep', ...files(['long'], 'export const a = 1'), '--walk-forward', '30s/20s']
  const { code, stdout, stderr } = await runCommand(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^error: the strategy cannot be loaded: expected .*; see https:\S+\/docs\/reference\/errors\.md#sweeperror\n$/,
  )
})

test.each<[string, readonly string[], number, string]>([
  ['a unit is missing', ['--walk-forward', '7/1d'], 2, 'each with its unit, like 7d/1d'],
  [
    'the recording is shorter than a test range',
    ['--walk-forward', '30s/7d'],
    1,
    'error: the recording, 1 min 39 s, is shorter than a window of 30 s of training and 7 d of test; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#walkforwarderror\n',
  ],
  [
    'the recording is shorter than a window',
    ['--walk-forward', '90s/60s'],
    1,
    'error: the recording, 1 min 39 s, is shorter than a window of 1 min 30 s of training and 1 min of test; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#walkforwarderror\n',
  ],
  [
    'a metric is given without windows',
    ['--metric', 'profit'],
    2,
    '--metric, --minimise and --min-trades need --walk-forward',
  ],
  [
    '--minimise is given without windows',
    ['--minimise'],
    2,
    '--metric, --minimise and --min-trades need --walk-forward',
  ],
])('fails if %s', async (_, flags, code, message) => {
  const result = await runInProcess(['sweep', ...files(), ...flags])
  expect(result.stderr).toContain(message)
  expect(result.code).toBe(code)
})

/** Trades as often as its parameter says, in each range, and reports the Sharpe ratio of an account without a trade as 0. */
const trader = `
import { count, map } from 'rxjs'
export default (client, trades) =>
  client.price$('svc-0xab').pipe(count(), map(() => ({ trades, sharpe: trades === 0 ? 0 : -1 / trades })))
`

test('a window whose parameters traded nothing, or too little, has no score, and neither has the total', async () => {
  const sweep = (parameters: unknown, ...flags: readonly string[]) =>
    runCommand([
      'sweep',
      ...files(parameters, trader),
      '--walk-forward',
      '30s/20s',
      '--metric',
      'sharpe',
      ...flags,
    ])
  const none = await sweep([0, 0])
  expect(none.code).toBe(1)
  expect(none.stdout).toContain(
    'no parameter has a score in the training range: the values have no score: nothing was traded',
  )
  expect(none.stdout).toMatch(/\ntotal {2}0 of 3 windows {2}no score\n$/)
  expect((await sweep([0], '--json')).stdout).toMatch(/"windows":3,"failed":3,"sum":null,"mean":null\}\n$/)
  const traded = await sweep([0, 3])
  expect([traded.code, traded.stdout]).toEqual([0, expect.stringContaining('3  sharpe -0.333333333333')])
  const few = await sweep([3, 4], '--min-trades', '5')
  expect([few.code, few.stdout]).toEqual([1, expect.stringContaining('3 round trips, fewer than 5')])
  const enough = await sweep([3, 4], '--min-trades', '4')
  expect([enough.code, enough.stdout]).toEqual([0, expect.stringContaining('4  sharpe -0.25')])
})

test('--warm-up runs the strategy over the data before each range, whose values do not count', async () => {
  const module =
    "import { scan } from 'rxjs'\nexport default (client) => client.price$('svc-0xab').pipe(scan((sum) => sum + 1, 0))"
  const args = ['sweep', ...files([1], module), '--json', '--walk-forward', '30s/20s', '--warm-up', '10s']
  const { stdout } = await runCommand(args)
  const [first] = stdout.split('\n').map((line) => JSON.parse(line || 'null') as { right: unknown })
  expect(first?.right).toMatchObject({
    summary: { rows: 20 },
    values: Array.from({ length: 20 }, (_, index) => index + 11),
  })
})

/** Buys at each price that is an even number of seconds after the start, and sells all at the next one. */
const account = `
import { map } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { closePosition, market, paper } from 'svc-streams/paper'
const tokens = defineTokens({ ETH: { address: '0xab', decimals: 0 } })
export default (client, units) => paper(
  client,
  ({ price$ }) => price$('svc-0xab').pipe(
    rights(),
    map(({ receivedAt }) => receivedAt % 2000 === 0 ? market('ETH', 'buy', { units: BigInt(units) }) : closePosition('ETH')),
  ),
  { tokens, cash: 10_000, feeBps: 10, slippageBps: 0, latency: 0 },
)
`

const depths = Array.from({ length: 100 }, (_, index): Row => {
  const [time, side] = [at + index * 1_000, { totalQuantity: 1_000n, totalQuantityUsd: 1 }]
  const event = right(depth('0xab', { buy: side, sell: side, timestamp: time, receivedAt: time }))
  return { _tag: 'Depth', at: time, mint: '0xab', event }
})

interface Figures {
  readonly returnRatio: number
  readonly roundTrips: number
  readonly expectancyUsd: number
  readonly exposure: number
}

interface Line {
  readonly right: {
    readonly score: number
    readonly values: readonly [
      { readonly summary: Figures; readonly curve: readonly { readonly equityUsd: number }[] },
    ]
  }
  readonly returnRatio: number
  readonly summary: Figures
}

test('chains the test ranges of an account, which end flat, to the total and to one curve', async () => {
  const args = files([1, 10], account)
  const [recording = '', module = ''] = args
  const rows = depths.flatMap((row, index) => [row, ...prices.slice(index, index + 1)])
  const candleHeader = { ...header, mints: ['0xab' as const], candles: '1 s', assumedDepth: '1000' }
  const outage = left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 0 }))
  rows.splice(2 * 61, 0, { _tag: 'Price', at: at + 60_500, topic: 'svc-0xab', event: outage })
  writeFileSync(recording, recordingText(candleHeader, ...rows))
  const report = join(module, '..', 'report.html')
  const flags = ['--walk-forward', '30s/20s', '--metric', 'expectancyUsd', '--warm-up', '10s']
  const { code, stdout } = await runCommand(['sweep', ...args, ...flags, '--json', '--report', report])
  expect(code).toBe(0)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const windows = lines.slice(0, -1).map(({ right: window }) => {
    const [{ summary, curve }] = window.values
    expect(window.score).toBe(summary.expectancyUsd)
    expect([curve[0]?.equityUsd, window]).toEqual([10_000, expect.not.objectContaining({ trades: 0 })])
    expect(summary.returnRatio).toBeCloseTo(curve.at(-1)!.equityUsd / 10_000 - 1, 9)
    return summary
  })
  expect(windows).toHaveLength(3)
  const sweepPage = join(module, '..', 'sweep.html')
  const whole = await runCommand(['sweep', ...args, '--report', sweepPage])
  const [, titles = ''] = /Results: 2<.*?<thead>(.*?)<\/thead>/s.exec(readFileSync(sweepPage, 'utf8')) ?? []
  expect([...titles.matchAll(/>([^<]+)<\/th>/g)].map(([, title]) => title).slice(0, 5)).toEqual([
    ...['parameter', 'Profit, USD', 'Return', 'Buy and hold ETH', 'Largest drawdown'],
  ])
  expect(titles).not.toContain('sampleMs')
  expect(whole.stdout).toMatch(
    /^1 {2}profitUsd -[\d.]+ {2}returnRatio -[\d.]+ {2}maxDrawdown [\d.]+ {2}annual\.sharpe \S+ {2}roundTrips \d+ {2}winRate 0\.?\d*\n10 {2}/,
  )
  const total = lines.at(-1)!
  const product = windows.reduce((all, { returnRatio }) => all * (1 + returnRatio), 1)
  expect(total).toMatchObject({ _tag: 'Total', windows: 3, failed: 0 })
  expect(total.returnRatio).toBeCloseTo(product - 1, 12)
  const trips = windows.reduce((sum, { roundTrips }) => sum + roundTrips, 0)
  const net = windows.reduce((sum, { roundTrips, expectancyUsd }) => sum + roundTrips * expectancyUsd, 0)
  expect(total.summary.roundTrips).toBe(trips)
  expect(total.summary.expectancyUsd).toBeCloseTo(net / trips, 9)
  const pageText = () => readFileSync(report, 'utf8').replaceAll(' class="number"', '')
  const html = pageText()
  const [, from = '', to = ''] = /aria-label="Equity, USD: from ([\d,.]+) to ([\d,.]+),/.exec(html) ?? []
  expect([from, Number(to.replace(',', ''))]).toEqual(['10,000.00', expect.closeTo(10_000 * product, 1)])
  expect(html).toMatch(
    /<td>2026-11-21 10:00:50<\/td><td>2026-11-21 10:01:10<\/td><td>-[\d.]+<\/td><td>-[\d.]+<\/td><td>-[\d.]+ %<\/td><td>1<\/td>/,
  )
  expect(html).toContain('of 20 s was chosen from 2 parameters on the 30 s before it.')
  expect(html).toContain('<p>3 of 3 test ranges have a result.</p>')
  expect(html).toContain('The data are candles of 1 s')
  expect(html).toContain('the open of a token causes may fill at the close of another token before it')
  expect(html).toContain('class="gaps" d="M')
  expect(html).toContain(`${flags.join(' ')} --json --report ${report}</code>`)
  const early = account.replace(
    'rights(),',
    `rights(), filter(({ receivedAt }) => receivedAt < ${at} + 45_000),`,
  )
  writeFileSync(module, early.replace('{ map }', '{ filter, map }'))
  const ended = await runCommand(['sweep', ...args, ...flags, '--json', '--report', report])
  expect(ended.code).toBe(1)
  expect(ended.stdout).toContain('"_tag":"Total","windows":3,"failed":2,"returnRatio":-')
  expect(pageText()).toContain('<p>1 of 3 test ranges have a result.</p>')
  // All time counts from the first to the last value, which are 59 s apart; those of the first range are 19 s apart.
  const [firstRange, , , lastTotal] = ended.stdout
    .split('\n')
    .map((line) => JSON.parse(line || 'null') as Line)
  const share = firstRange?.right.values[0].summary.exposure ?? NaN
  expect(lastTotal?.summary.exposure).toBeCloseTo((share * 19) / 59, 9)
  // It is no gap of the data: the outage is the only one.
  expect(pageText()).toContain('<p>1 gap in the data, 0.5 s in all: ')
  const plain = await runCommand([
    'sweep',
    ...files(),
    '--walk-forward',
    '30s/20s',
    '--metric',
    'report.profit',
    '--report',
    report,
  ])
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('the strategy has no account')])
})

test('a metric that an account lacks fails before the first run, with the names of its figures', async () => {
  const module = `
import { NEVER } from 'rxjs'
import { defineTokens } from 'svc-streams'
const tokens = defineTokens({ ETH: { address: '0xab', decimals: 0 } })
export const options = { tokens, cash: 1, feeBps: 0, slippageBps: 0, latency: 0 }
export default () => NEVER`
  const args = ['sweep', ...files([1], module), '--walk-forward', '30s/20s', '--metric', 'profit']
  const { code, stdout, stderr } = await runCommand(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('--metric profit is no figure of an account; its figures are profitUsd, ')
})

test('the total contains a test range in which the account has lost all, and its metric has no meaning', async () => {
  const module = `
import { map } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { market } from 'svc-streams/paper'
const tokens = defineTokens({ ETH: { address: '0xab', decimals: 0 } })
export const options = { tokens, cash: 100, feeBps: 0, slippageBps: 0, latency: 0, maxLeverage: 100 }
export default (client, account, units) =>
  client.price$('svc-0xab').pipe(map((_, index) => market('ETH', index % 2 === 0 ? 'buy' : 'sell', { units: BigInt(units) })))
`
  const args = files([30], module)
  // A price a minute, which rises, and falls by a half in the second test range.
  const rows = Array.from({ length: 161 }, (_, minute): readonly Row[] => {
    const [time, side] = [at + minute * 60_000, { totalQuantity: 1_000n, totalQuantityUsd: 1 }]
    const event = right(depth('0xab', { buy: side, sell: side, timestamp: time, receivedAt: time }))
    const usd = (10 + (minute % 2) / 10 + (minute % 3) / 100) * (minute < 125 ? 1 : 0.5)
    return [{ _tag: 'Depth', at: time, mint: '0xab', event }, priced(minute * 60_000, usd)]
  })
  writeFileSync(args[0] ?? '', recordingText({ ...header, mints: ['0xab'] }, ...rows.flat()))
  const report = join(args[1] ?? '', '..', 'report.html')
  const run = (metric: string, ...flags: readonly string[]) =>
    runCommand(['sweep', ...args, '--walk-forward', '80m/40m', '--metric', metric, ...flags])
  const byProfit = await run('profitUsd', '--json')
  const total = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1)!) as Line & { failed: number }
  expect(total(byProfit.stdout)).toMatchObject({ windows: 2, failed: 0 })
  const { returnRatio } = total(byProfit.stdout)
  expect(returnRatio).toBeLessThan(-0.9)
  const bySharpe = await run('annual.sharpe', '--json', '--report', report)
  expect(bySharpe.code).toBe(1)
  expect(total(bySharpe.stdout)).toMatchObject({ windows: 2, failed: 1, returnRatio })
  const [, last = ''] =
    /<td>2<\/td>(.*?)<\/tr>/s.exec(readFileSync(report, 'utf8').replaceAll(' class="number"', '')) ?? []
  expect(last).toMatch(/<td>-\d+\.\d\d %<\/td><td>the test range has no result: .*annual\.sharpe/)
})
