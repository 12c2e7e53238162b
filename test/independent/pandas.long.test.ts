import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { from, lastValueFrom, toArray } from 'rxjs'
import { candles, rolling } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { expect, inject, test } from 'vitest'
import {
  chunksOf,
  header,
  priceRow,
  recordingText,
  start,
  topic,
} from '../backtest/recording/support/recordings.js'
import { newFolder } from '../support/new-folder.js'
import { runToExit } from '../support/process/program.js'
import { caseCount } from '../support/run/long.js'

// pandas: the same statistics and candles of the same prices.

const count = caseCount(1_000_000)

/** Prices of a random walk with jumps, and times in ms with gaps. */
const [times, prices] = (() => {
  const [first] = fc.sample(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { numRuns: 1, seed: inject('seed') })
  let state = first ?? 1
  const random = (): number => (state = (state * 48_271) % (2 ** 31 - 1)) / 2 ** 31
  let [at, price] = [0, 2_000]
  const walk = Array.from({ length: count }, () => {
    at += 1 + Math.floor(random() ** 4 * 5_000)
    const change = random() < 0.001 ? 10 ** (4 * random() - 2) : 1 + (random() - 0.5) / 100
    price = price * change < 1e-3 || price * change > 1e7 ? 2_000 : price * change
    return [at, price] as const
  })
  return [walk.map(([time]) => time), walk.map(([, value]) => value)]
})()

/** Runs a program in Python of Debian, which has pandas. Its `data` has `at` and `price`. Returns the rows that it has printed. */
const pandas = async (program: string): Promise<readonly (readonly number[])[]> => {
  const folder = newFolder()
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')]
  writeFileSync(input, `at,price\n${times.map((at, index) => `${at},${prices[index]}`).join('\n')}\n`)
  const code = `import pandas\ndata = pandas.read_csv(${JSON.stringify(input)}, float_precision='round_trip')\n${program}\nresult.to_csv(${JSON.stringify(output)}, index=False, header=False)`
  const { code: exit, output: text } = await runToExit(['/usr/bin/python3', '-c', code])
  expect(exit, `apt-get install python3-pandas, or all of .ci/packages\n${text}`).toBe(0)
  return readFileSync(output, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').map(Number))
}

// Mean and deviation of each window by NumPy: those that pandas updates from value to value lose digits after a jump.
test.each([1, 2, 20, 1_000])('rolling({ count: %i }) has the statistics of pandas', async (window) => {
  const expected = await pandas(
    `import numpy
x = data.price.to_numpy()
windows = numpy.lib.stride_tricks.sliding_window_view(x, ${window})
def of_each(f):
    first = [f(x[:end]) for end in range(1, ${window})]
    return numpy.concatenate([first] + [f(windows[i:i + 10_000], axis=1) for i in range(0, len(windows), 10_000)])
r = data.price.rolling(${window}, min_periods=1)
result = pandas.DataFrame({'count': r.count(), 'mean': of_each(numpy.mean), 'deviation': of_each(numpy.std), 'min': r.min(), 'max': r.max()})`,
  )
  const events = await lastValueFrom(
    from(prices.map((price) => right(price))).pipe(rolling({ count: window }), toArray()),
  )
  const rows = events.filter(isRight).map(({ right: row }) => row)
  expect(rows).toHaveLength(count)
  const wrong = rows.findIndex((row, index) => {
    const [n, mean = NaN, deviation = NaN, min, max] = expected[index] ?? []
    const isExact = row.count === n && row.min === min && row.max === max
    const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * row.max
    return !isExact || !isClose(row.mean, mean) || !isClose(row.deviation, deviation)
  })
  expect(wrong === -1 ? undefined : [rows[wrong], expected[wrong]]).toBeUndefined()
})

test.each([1_000, 60_000])('candles(%i) are those that pandas resamples', async (ms) => {
  const expected = await pandas(
    `data['from'] = (data['at'] + ${start}) // ${ms} * ${ms}
g = data.groupby('from').price
result = pandas.DataFrame({'open': g.first(), 'high': g.max(), 'low': g.min(), 'close': g.last(), 'count': g.count()}).reset_index()`,
  )
  const rows = times.map((at, index) => priceRow(at, prices[index]!))
  const client = replay(chunksOf([header, ...rows].map((row) => recordingText(row)).join('')), {
    speed: Infinity,
  })
  const events = await lastValueFrom(
    client.run$((inside) => inside.price$(topic).pipe(candles(ms))).pipe(toArray()),
  )
  const actual = events
    .filter(isRight)
    .map(({ right: { from: begin, open, high, low, close, count: n } }) => [begin, open, high, low, close, n])
  // The last window ends after the recording.
  expect(actual).toEqual(expected.slice(0, actual.length))
  expect(expected.length - actual.length).toBeLessThanOrEqual(1)
})
