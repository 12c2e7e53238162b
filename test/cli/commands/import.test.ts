import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { record, replay } from 'svc-streams/recording'
import { candles, rights } from 'svc-streams/operators'
import { createTestClient, price } from 'svc-streams/testing'
import { right } from 'fp-ts/lib/Either.js'
import { from, toArray, lastValueFrom } from 'rxjs'
import type { Client, Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { newFolder } from '../../support/new-folder.js'
import { caseCount } from '../../support/run/long.js'
import { memoryWriter } from '../../backtest/recording/support/rows.js'
import { chunksOf } from '../../backtest/recording/support/recordings.js'
import { runCommand } from '../support/command.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

const address = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const topic: Topic = `svc-${address}`
const other = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'
const tokens = { ETH: { address, decimals: 18 }, BTC: { address: other, decimals: 8 } }
const start = Date.UTC(2025, 10, 13, 2, 14)

interface Imported {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
  readonly out: string
  /** The rows without their envelopes. */
  readonly rows: readonly ImportedRow[]
  readonly header: Record<string, unknown> | undefined
}

interface ImportedRow {
  readonly at: number
  readonly topic?: string
  readonly mint?: string | undefined
  readonly price: number
  readonly buy?: string | undefined
  readonly sell?: string | undefined
}

/** Imports files of a new folder. */
const imported = async (
  files: Readonly<Record<string, string | Uint8Array>>,
  flags: readonly string[] = ['--token', address],
  run = runInProcess,
): Promise<Imported> => {
  const folder = newFolder()
  const path = (name: string) => join(folder, name)
  writeFileSync(path('tokens.json'), JSON.stringify(tokens))
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content)
  const out = path('market.ndjson')
  const names = Object.keys(files).map(path)
  const given = flags.map((flag) => (flag === 'tokens.json' ? path(flag) : flag))
  const { code, stdout, stderr } = await run(['import', ...names, '--out', out, ...given])
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  const text = existsSync(out) ? readFileSync(out, 'utf8') : ''
  const [header, ...lines] = text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as never]))
  return { code, stdout, stderr, out, rows: lines.map(rowOf), header }
}

interface Side {
  readonly totalQuantity: string
}

interface Line {
  readonly at: number
  readonly event: {
    readonly right: {
      readonly topic?: string
      readonly mint?: string
      readonly price: number
      readonly buy?: Side
      readonly sell?: Side
      readonly receivedAt: number
    }
  }
}

const rowOf = ({ at, event }: Line): ImportedRow => {
  const { topic: of, mint, price: usd, buy, sell, receivedAt } = event.right
  expect(receivedAt).toBe(at)
  if (of !== undefined) return { at, topic: of, price: usd }
  return { at, mint, price: usd, buy: buy?.totalQuantity, sell: sell?.totalQuantity }
}

const priceRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ at: start + index * 250, price: 2680 + index / 4 }))

const csv = (rows: readonly { at: number; price: number }[]) =>
  ['time,price,amount', ...rows.map(({ at, price: usd }) => `${at},${usd},1`), ''].join('\n')

const tokenFlags = ['--tokens', 'tokens.json']

/** A file with a page for each of two columns, whose bytes a test changes. */
const parquetOfOnePrice = (): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'time', data: [start], type: 'DOUBLE' },
        { name: 'price', data: [1], type: 'DOUBLE' },
      ],
      codec: 'UNCOMPRESSED',
      statistics: false,
    }),
  )

it('names the row whose depth is more than a number can be, and no folder', async () => {
  const flags = ['--tokens', 'tokens.json', '--depth', '1000']
  const { code, stderr } = await imported({ 'a.csv': 'time,symbol,price\n1763000000,ETH,1e308\n' }, flags)
  expect(code).toBe(1)
  expect(stderr).toContain('nothing was written: row 1:')
  expect(stderr).not.toContain('another folder')
})

describe('import', () => {
  it('writes the prices of trades without a header, in seconds', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `${start / 1000 + index},${(2680.5 + index / 4).toFixed(8)},0.01`,
    )
    const flags = ['--token', address, '--time', '1', '--price', '2']
    const { code, rows, stdout } = await imported({ 'trades.csv': `${lines.join('\n')}\n` }, flags)
    expect(code).toBe(0)
    expect(rows).toEqual(
      lines.map((_, index) => ({ at: start + index * 1000, topic, price: 2680.5 + index / 4 })),
    )
    expect(stdout).toContain('CSV, ",", no header, trades\n  columns: time = "1" (s), price = "2"')
    expect(stdout).toContain('from 2025-11-13T02:14:00.000Z to 2025-11-13T02:14:39.000Z')
    expect(stdout).toContain(`First rows:\n  2025-11-13T02:14:00.000Z  ${topic}  2680.5\n`)
  })

  it('maps symbols by --tokens: a BOM, CRLF, times in µs', async () => {
    const lines = priceRows(5).map(({ at, price: usd }) => `${at}000,ETH,sell,${usd},0.5`)
    const text = `\uFEFFtimestamp,symbol,side,price,amount\r\n${lines.join('\r\n')}\r\n`
    const { code, rows, stdout } = await imported({ 'trades.csv': text }, tokenFlags)
    expect(code).toBe(0)
    expect(rows).toEqual(priceRows(5).map((row) => ({ ...row, topic })))
    expect(stdout).toContain(`"ETH" = ${topic}`)
  })

  const damaged = [
    'time_ms;price;amount',
    `${start};2680.0;1.0e-07`,
    `${start + 250};2680.1;`,
    `${start + 500};NaN;1`,
    `${start + 750};-3;1`,
    'not a time;2681;1',
    `${start + 1250};2680.3;1`,
    `${start + 1000};2680.2;1`,
    `x${start + 1500};2680.4;1`,
    '',
  ].join('\n')

  it('sorts rows, leaves invalid ones out, and counts them by reason with the first line', async () => {
    const { code, rows, stdout } = await imported({ 'trades.csv': damaged })
    expect(code).toBe(0)
    expect(rows.map(({ at, price: usd }) => [at - start, usd])).toEqual([
      [0, 2680],
      [250, 2680.1],
      [1000, 2680.2],
      [1250, 2680.3],
    ])
    expect(stdout).toContain('not a number: 1, first in line 4')
    expect(stdout).toContain('not above 0: 1, first in line 5')
    expect(stdout).toContain('no time: 2, first in line 6')
  })

  it('shows the text of a line that is not JSON', async () => {
    const lines = [`{"time":${start},"price":2680}`, '{"time":', '']
    const { rows, stdout } = await imported({ 'trades.ndjson': lines.join('\n') })
    expect(rows).toHaveLength(1)
    expect(stdout).toContain(String.raw`no time: 1, first in line 2: "{\"time\":"`)
  })

  it('--strict fails at the first invalid row, and there is no file', async () => {
    const { code, out, stderr } = await imported({ 'trades.csv': damaged }, ['--token', address, '--strict'])
    expect([code, existsSync(out)]).toEqual([1, false])
    expect(stderr).toContain('trades.csv: line 4: not a number')
  })

  it('--dry-run prints what is understood, and writes nothing', async () => {
    const { code, out, stdout } = await imported({ 'trades.csv': csv(priceRows(9)) }, [
      '--token',
      address,
      '--dry-run',
    ])
    expect([code, existsSync(out)]).toEqual([0, false])
    expect(stdout).toContain(`First rows:\n  2025-11-13T02:14:00.000Z  ${topic}  2680\n`)
    expect(stdout).not.toContain('Wrote')
  })

  /** The prices of candles, as time after the start and price. */
  const ticksOf = async (text: string, flags: readonly string[] = []) => {
    const result = await imported({ 'candles.csv': text }, ['--token', address, ...flags])
    return {
      ...result,
      ticks: result.rows.map(({ at, price: usd }) => [(at - start) / 60_000, usd] as const),
    }
  }

  const candle = (minutes: number, open: number, ...others: readonly (number | string)[]): string =>
    `${[start + minutes * 60_000, open, open + 10, open - 10, open + 5, ...others].join(',')}\n`

  const candleHeader = 'open_time,open,high,low,close\n'

  it('gives the open of a candle at its start and its close at its end, before the next open, and nothing else', async () => {
    const { code, ticks, header, stdout, out } = await ticksOf(
      candleHeader + [0, 1, 2].map((minute) => candle(minute, 100 + minute)).join(''),
    )
    expect(code).toBe(0)
    expect(ticks).toEqual([
      [0, 100],
      [1, 105],
      [1, 101],
      [2, 106],
      [2, 102],
      [3, 107],
    ])
    expect(header).toMatchObject({ candles: '1 min 00 s' })
    expect(stdout).toContain('length of the candles: 1 min 00 s; each gives its open and its close')
    expect((await runInProcess(['inspect', out])).stdout).toContain(
      'its prices are the opens and the closes of candles of 1 min 00 s',
    )
  })

  it('closes each candle at the next start or the usual distance later, whatever odd row there is, and counts that row', async () => {
    const stray = [0, 1, 2, 2 + 1 / 60, 3, 4, 6].map((minute, index) => candle(minute, 100 + 10 * index))
    const { ticks, stdout } = await ticksOf(candleHeader + stray.join(''))
    const closes = ticks.filter(([, usd]) => usd % 10 === 5)
    expect(closes).toEqual([
      [1, 105],
      [2, 115],
      // The stray candle ends at the next start, and so does the one before it.
      [3, 125],
      [3, 135],
      [4, 145],
      // After a gap: the usual distance.
      [5, 155],
      [7, 165],
    ])
    expect(stdout).toContain('rows at odd distances, not of 1 min 00 s: 2\n')
  })

  it('closes candles of calendar months and of days with a change of summer time at the next start', async () => {
    const monthly = Array.from({ length: 6 }, (_, month) => `2023-0${month + 1}-01,10,12,8,11\n`)
    const months = await ticksOf(candleHeader + monthly.join(''))
    expect(months.rows.filter(({ price: usd }) => usd === 11).map(({ at }) => at)).toEqual(
      [1, 2, 3, 4, 5].map((month) => Date.UTC(2023, month)).concat(Date.UTC(2023, 5) + 31 * 86_400_000),
    )
    const given = await ticksOf(candleHeader + monthly.join(''), ['--interval', '1mo'])
    expect(given.rows.at(-1)?.at).toBe(Date.UTC(2023, 6))
    expect(given.header).toMatchObject({ candles: '1 month' })
    // The end of the month where the day is not in the next month.
    const ends = await ticksOf(`${candleHeader}2023-01-31,10,12,8,11\n`, ['--interval', '1mo'])
    expect(ends.rows.at(-1)?.at).toBe(Date.UTC(2023, 1, 28))
    const days = ['29T00:00+01:00', '30T00:00+01:00', '31T00:00+01:00'].map((day) => `2024-03-${day}`)
    const local = [...days, '2024-04-01T00:00+02:00', '2024-04-02T00:00+02:00']
    const { rows } = await ticksOf(candleHeader + local.map((day) => `${day},10,12,8,11\n`).join(''))
    expect(rows.filter(({ price: usd }) => usd === 11).map(({ at }) => at)).toEqual(
      [...local.slice(1), '2024-04-03T00:00+02:00'].map((day) => Date.parse(day)),
    )
  })

  it('closes a candle at its close time, rounded up to the ms after it, and --interval overrides', async () => {
    const last = (minute: number) => start + minute * 60_000 - 1
    const rows = [candle(0, 100, last(1)), candle(1.4, 101, last(2)), candle(2, 102, last(3))]
    const header = candleHeader.replace('close\n', 'close,close_time\n')
    const closes = async (text: string, flags: readonly string[] = []) =>
      (await ticksOf(header + text, flags)).ticks.filter(([, usd]) => usd >= 105)
    expect(await closes(rows.join(''))).toEqual([
      [1, 105],
      [2, 106],
      [3, 107],
    ])
    expect(await closes(rows.join(''), ['--interval', '30s'])).toEqual([
      [0.5, 105],
      [1.9, 106],
      [2.5, 107],
    ])
    const atNextStart = [0, 1, 2].map((minute) => candle(minute, 100 + minute, start + (minute + 1) * 60_000))
    expect(await closes(atNextStart.join(''))).toEqual([
      [1, 105],
      [2, 106],
      [3, 107],
    ])
    const inSeconds = [0, 1, 2].map((minute) =>
      candle(minute, 100 + minute, start + (minute + 1) * 60_000 - 1000),
    )
    expect(await closes(inSeconds.join(''))).toEqual([
      [1, 105],
      [2, 106],
      [3, 107],
    ])
  })

  it('uses no close time that is not after its start', async () => {
    const header = candleHeader.replace('close\n', 'close,close_time\n')
    const ends = [1, 0, 5, 4, 5].map((end, minute) => candle(minute, 100 + minute, start + end * 60_000))
    const { ticks } = await ticksOf(header + ends.join(''))
    expect(ticks.filter(([, usd]) => usd >= 105).map(([minute]) => minute)).toEqual([
      1,
      2,
      4,
      5,
      5 + 1 / 60_000,
    ])
  })

  it('merges the candles of several files: a close comes before the open of the next file', async () => {
    const files = {
      'b.csv': candleHeader + candle(2, 102) + candle(3, 103),
      'a.csv': candleHeader + candle(0, 100) + candle(1, 101),
    }
    const { rows } = await imported(files)
    expect(rows.map(({ price: usd }) => usd)).toEqual([100, 105, 101, 106, 102, 107, 103, 108])
  })

  it('takes the start of a candle for its time, not its end', async () => {
    const day = (n: number, time: string) => `"2026-01-0${n}T${time}Z"`
    const rows = [1, 2].map(
      (n) => `${day(n, '00:00:00.000')};${day(n, '23:59:59.999')};1;2;1;2;${day(n, '23:59:59.999')}`,
    )
    const header = 'timeOpen;timeClose;open;high;low;close;timestamp'
    const { stdout, rows: written } = await imported({ 'days.csv': [header, ...rows].join('\n') })
    expect(stdout).toContain('time = "timeOpen"')
    expect(written[0]?.at).toBe(Date.UTC(2026, 0, 1))
  })

  it.each([
    ['rows in one line', `[[${start}, 1, 2], [${start + 1}, 1, 2]]`],
    ['rows in several lines', `[\n  { "time": ${start}, "price": 1 }\n]`],
  ])('says how to convert one JSON text: %s', async (_, text) => {
    const { code, stderr } = await imported({ 'rows.json': text })
    expect(code).toBe(1)
    expect(stderr).toContain('it is one JSON text, not one row a line')
  })

  it('needs --interval for a single candle', async () => {
    const files = { 'candle.csv': `time,open,high,low,close\n${start},1,3,0.5,2\n` }
    expect((await imported(files)).stderr).toContain('--interval')
    const { rows } = await imported(files, ['--token', address, '--interval', '5m'])
    expect(rows.map(({ at, price: usd }) => [at - start, usd])).toEqual([
      [0, 1],
      [300_000, 2],
    ])
  })

  it('gives the midpoint of a quote, after the depth of a top of a book', async () => {
    const quotes = `time,bid,ask\n${start},2680,2681\n`
    expect((await imported({ 'quotes.csv': quotes })).rows).toEqual([{ at: start, topic, price: 2680.5 }])
    const tops = `time,symbol,bid,bid_qty,ask,ask_qty\n${start},ETH,2680,1.5,2681,0.123456789012345678\n${start},BTC,90000,,90002,1\n`
    const { rows, header, stdout } = await imported({ 'tops.csv': tops }, tokenFlags)
    expect(rows).toEqual([
      { at: start, mint: address, price: 2680.5, buy: '123456789012345678', sell: '1500000000000000000' },
      { at: start, topic, price: 2680.5 },
      { at: start, topic: `svc-${other}`, price: 90_001 },
    ])
    expect(header).toMatchObject({ topics: [topic, `svc-${other}`], mints: [address, other] })
    expect(stdout).toContain(
      'no depth, because a quantity is no number, or --tokens has no decimals: 1, first in line 3',
    )
  })

  it('--depth adds an assumed depth before each price: the header and inspect say so', async () => {
    const flags = [...tokenFlags, '--token', 'ETH', '--depth', '2.5']
    const { rows, header, out } = await imported({ 'trades.csv': csv(priceRows(2)) }, flags)
    const units = '2500000000000000000'
    expect(rows.slice(0, 2)).toEqual([
      { at: start, mint: address, price: 2680, buy: units, sell: units },
      { at: start, topic, price: 2680 },
    ])
    expect(header).toMatchObject({ assumedDepth: '2.5', mints: [address] })
    const { stdout } = await runInProcess(['inspect', out])
    expect(stdout).toContain('its depth is assumed, not recorded: 2.5 tokens on both sides with each price')
    const json = await runInProcess(['inspect', out, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ topic, assumedDepth: '2.5' })
    const unknown = await imported({ 'trades.csv': csv(priceRows(2)) }, ['--token', address, '--depth', '1'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('decimals') as string })
  })

  it('fails for a --depth that is less than the smallest unit of a token', async () => {
    const flags = [...tokenFlags, '--token', 'ETH', '--depth', '0.0000000000000000009']
    const { code, stderr } = await imported({ 'trades.csv': csv(priceRows(2)) }, flags)
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('--depth') as string })
  })

  it('warns about no quantity of a top of a book that --depth replaces', async () => {
    const tops = `time,bid,bid_qty,ask,ask_qty\n${start},2680,,2681,1\n`
    const flags = [...tokenFlags, '--token', 'ETH', '--depth', '2']
    const { rows, stdout } = await imported({ 'tops.csv': tops }, flags)
    expect(rows[0]).toMatchObject({ mint: address, buy: '2000000000000000000' })
    expect(stdout).not.toContain('no depth')
  })

  it('joins the files of several tokens and formats by time', async () => {
    const rows = priceRows(4)
    const json = rows
      .map(({ at, price: usd }) => JSON.stringify({ ts: at + 1, symbol: 'BTC', price: usd }))
      .join('\n')
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'time', data: rows.map(({ at }) => new Date(at + 2)), type: 'TIMESTAMP' },
        { name: 'symbol', data: rows.map(() => 'ETH'), type: 'STRING' },
        { name: 'price', data: rows.map(({ price: usd }) => usd), type: 'DOUBLE' },
      ],
    })
    const lines = rows.map(({ at, price: usd }) => `${topic}\t${at}\t${usd}`)
    const files = {
      'a.ndjson': json,
      'b.parquet': new Uint8Array(parquet),
      'c.parquet.gz': gzipSync(new Uint8Array(parquet)),
      'd.csv.gz': gzipSync(`topic\ttime\tprice\n${lines.join('\n')}`),
    }
    const { code, rows: written, stdout } = await imported(files, tokenFlags)
    expect(code).toBe(0)
    const expected = rows.flatMap(({ at, price: usd }) => [
      { at, topic, price: usd },
      { at: at + 1, topic: `svc-${other}`, price: usd },
      ...[1, 2].map(() => ({ at: at + 2, topic, price: usd })),
    ])
    expect(written).toEqual(expected)
    expect(stdout).toMatch(
      /NDJSON, objects, trades[^]*Parquet, trades[^]*Parquet, gzip[^]*CSV, tab, header in line 1, gzip/,
    )
  })

  it('takes each digit of the decimals of Parquet, whatever their type', async () => {
    const types = [
      { type: 'INT32', precision: 9 },
      { type: 'INT64', precision: 18 },
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, precision: 38 },
      { type: 'BYTE_ARRAY', precision: 38 },
    ] as const
    for (const physical of types) {
      const units = physical.precision === 38 ? 12_345_678_901_234_567_890n : 123_456_789n
      const decimal = (name: string, scale: number) =>
        ({ name, repetition_type: 'REQUIRED', converted_type: 'DECIMAL', scale, ...physical }) as const
      const parquet = parquetWriteBuffer({
        columnData: [
          { name: 'time', data: [BigInt(start)] },
          { name: 'bid', data: [57n] },
          { name: 'ask', data: [57n] },
          { name: 'bidqty', data: [units] },
          { name: 'askqty', data: [units] },
        ],
        schema: [
          { name: 'root', num_children: 5 },
          { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
          ...[decimal('bid', 2), decimal('ask', 2), decimal('bidqty', 6), decimal('askqty', 6)],
        ],
      })
      const { rows } = await imported({ 'a.parquet': new Uint8Array(parquet) }, [
        '--token',
        'ETH',
        ...tokenFlags,
      ])
      // The token has 18 decimals.
      const quantity = `${units}000000000000`
      expect(rows).toContainEqual({ at: start, topic, price: 0.57 })
      expect(rows).toContainEqual({ at: start, mint: address, price: 0.57, buy: quantity, sell: quantity })
    }
  })

  it.each([
    [-1, 570],
    [79, 57e-79],
  ])('reads a decimal of Parquet with the scale %i', async (scale, usd) => {
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'time', data: [BigInt(start)] },
        { name: 'price', data: [57n] },
      ],
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
        {
          name: 'price',
          type: 'INT64',
          repetition_type: 'REQUIRED',
          converted_type: 'DECIMAL',
          scale,
          precision: 18,
        },
      ],
    })
    const { rows } = await imported({ 'a.parquet': new Uint8Array(parquet) })
    expect(rows).toEqual([{ at: start, topic, price: usd }])
  })

  it('asks about times of Parquet whose 32 bits have fewer digits', async () => {
    const seconds = [0, 60, 120].map((second) => start / 1_000 + second)
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'time', data: Float32Array.from(seconds), type: 'FLOAT' },
        { name: 'price', data: Float32Array.from([1599.25, 1600.5, 1601]), type: 'FLOAT' },
      ],
    })
    const files = { 'a.parquet': new Uint8Array(parquet) }
    const refused = await imported(files)
    expect(refused).toMatchObject({ code: 1, rows: [] })
    expect(refused.stderr).toMatch(/the digits of all times in "time" end before their unit, s/)
    const { rows } = await imported(files, ['--token', address, '--yes'])
    expect(rows.map(({ price: usd }) => usd)).toEqual([1599.25, 1600.5, 1601])
  })

  it('refuses a page of Parquet that claims more values than its bytes can have', async () => {
    const parquet = parquetOfOnePrice()
    // The header of the last page: its number of values, 1, becomes 2^31 - 1.
    const at = parquet.lastIndexOf(Buffer.from([0x5c, 0x15, 0x02])) + 2
    expect(at).toBeGreaterThan(2)
    const many = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f])
    const bomb = Buffer.concat([parquet.subarray(0, at), many, parquet.subarray(at + 1)])
    const { code, stderr } = await imported({ 'a.parquet': new Uint8Array(bomb) })
    expect(code).toBe(1)
    expect(stderr).toContain('its Parquet data are damaged')
  })

  it('refuses a page of Parquet whose header lacks its encoding and the lengths of its levels', async () => {
    const parquet = parquetOfOnePrice()
    // The header of the last page: its encoding, the fourth number, gets an unknown field.
    const at = parquet.lastIndexOf(Buffer.from([0x5c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x02, 0x15])) + 7
    expect(at).toBeGreaterThan(7)
    parquet[at] = 0x95
    const { code, stderr } = await imported({ 'a.parquet': new Uint8Array(parquet) })
    expect(code).toBe(1)
    expect(stderr).toContain('its Parquet data are damaged')
  })

  it.each<[string, string, readonly string[]]>([
    ['number, in a file without a header', `7,x,${start},2680\n`, ['--time', '3', '--price', '4']],
    ['name', `when,cost\n${start},2680\n`, ['--time', 'when', '--price', 'cost']],
  ])('takes columns by %s', async (_, text, flags) => {
    const { rows } = await imported({ 'trades.csv': text }, ['--token', address, ...flags])
    expect(rows).toEqual([{ at: start, topic, price: 2680 }])
  })

  it.each<[string, string, readonly string[], RegExp]>([
    ['no valid row', 'time,price\nx,1\n', [], /no column|times of the years|no row is valid/],
    ['an empty file', '', [], /it has no row/],
    [
      'two columns of one name',
      `time,price,price\n${start},1,2\n`,
      [],
      /several of its columns are "price"; give --price by number from 1/,
    ],
    [
      'rows with more cells than the header, such as decimal commas',
      `time,price\n${start},1600,05\n${start},1601,5\n`,
      [],
      /its header has 2 names, and its rows have more cells/,
    ],
    [
      'the numbers of trades in place of prices',
      [1, 2, 3].map((id) => `[${start + id},"${id}",null,"buy",1600.5,0.1]\n`).join(''),
      [],
      /is recognised in the first row/,
    ],
    ['a time in two columns', 'date,time,price\n2025-11-13,22:13:20,1\n', [], /column time: expected times/],
    ['a header alone', 'time,price', [], /it has no row/],
    [
      'a column that does not exist',
      csv(priceRows(1)),
      ['--price', 'cost'],
      /--price: the file has no column "cost"/,
    ],
    [
      'unknown names',
      `a1,b1\n${start},1\n`,
      [],
      /no column of times is recognised in "a1", "b1"; give --time/,
    ],
    ['a ZIP archive', 'PK\u0003\u0004xxxx', [], /ZIP archive/],
    [
      'a recording',
      '{"_tag":"Recording","version":1,"at":0,"topics":[],"mints":[],"interval":1}\n',
      [],
      /a recording already/,
    ],
  ])('fails with exit code 1 for %s, and there is no file', async (_, text, flags, problem) => {
    const { code, stderr, out } = await imported({ 'trades.csv': text }, ['--token', address, ...flags])
    expect([code, existsSync(out)]).toEqual([1, false])
    expect(stderr).toMatch(problem)
    expect(stderr).toContain('trades.csv')
  })

  it('prints numbers without commas, which a program reads', async () => {
    const { stdout } = await imported({ 'trades.csv': csv(priceRows(1200)) })
    expect(stdout).toContain('  valid rows: 1200, from')
    expect(stdout).toContain('Wrote 1200 rows ')
  })

  it('fails with exit code 1 if --out exists, and 2 for invalid arguments', async () => {
    const { out, stdout } = await imported({ 'trades.csv': csv(priceRows(1)) })
    expect(stdout).toContain('Wrote 1 row ')
    const file = join(dirname(out), 'trades.csv')
    const again = await runInProcess(['import', file, '--token', address, '--out', out])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') as string })
    const missing = await runInProcess(['import', `${file}.x`, '--token', address, '--out', `${out}.2`])
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') as string })
    const without = await runInProcess(['import', file, '--out', `${out}.2`])
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('--token') as string })
    for (const flags of [
      ['--token', 'ETH'],
      ['--depth', 'x', '--token', address],
      ['--interval', 'soon'],
    ])
      expect(await runInProcess(['import', file, '--out', `${out}.2`, ...flags])).toMatchObject({ code: 2 })
    expect(await runInProcess(['import', file])).toMatchObject({ code: 2 })
  })

  it('asks which token --token names in a file of several symbols', async () => {
    const text = `time,symbol,price\n${start},ETHUSDT,1\n${start},BTCUSDT,2\n${start},ETHUSDT,3\n`
    const refused = await imported({ 'trades.csv': text })
    expect(refused).toMatchObject({ code: 1, rows: [] })
    expect(refused.stderr).toContain(
      'there are several symbols, such as "ETHUSDT", "BTCUSDT", and --token names one token: give --tokens',
    )
    const { rows, stdout } = await imported({ 'trades.csv': text }, ['--token', address, '--yes'])
    expect(rows.map(({ price: usd }) => usd)).toEqual([1, 3])
    expect(stdout).toContain('unknown symbol: 1, first in line 3')
    expect(stdout).toContain('unknown symbols: "BTCUSDT"; define them in --tokens')
  })

  it('asks which token --token names in files of several symbols', async () => {
    const text = (symbol: string, at: number) => `time,symbol,price\n${at},${symbol},1\n`
    const files = { 'a.csv': text('ETHUSDT', start), 'b.csv': text('BTCUSDT', start + 1) }
    const refused = await imported(files)
    expect(refused).toMatchObject({ code: 1, rows: [] })
    expect(refused.stderr).toContain(
      'there are several symbols, such as "ETHUSDT", "BTCUSDT", and --token names one token: give --tokens',
    )
    expect((await imported(files, ['--token', address, '--yes'])).rows).toHaveLength(2)
    const oneSymbol = { ...files, 'b.csv': text('ETHUSDT', start + 1) }
    expect((await imported(oneSymbol)).rows).toHaveLength(2)
  })

  it('guesses no columns without a header, and recognises the column that has times', async () => {
    const coinbase = [0, 60, 120].map((s) => `${start / 1_000 + s},1599,1602,1600,1601,12\n`).join('')
    expect(await imported({ 'candles.csv': coinbase })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('give --time by number') as string,
    })
    const flags = ['--time', '1', '--open', '4', '--high', '3', '--low', '2', '--close', '5']
    const { rows } = await imported({ 'candles.csv': coinbase }, ['--token', address, ...flags])
    expect(rows.slice(0, 3).map(({ price: usd }) => usd)).toEqual([1600, 1601, 1600])
    const binance = JSON.stringify({ e: 'trade', s: 'ETH', t: 5, p: '1.5', T: start })
    expect((await imported({ 'trades.ndjson': binance })).rows).toEqual([{ at: start, topic, price: 1.5 }])
    const named = `ts,value,price_usd\n2025-11-13 02:14,7,2\n`
    const zoneless = await imported({ 'trades.csv': named })
    expect(zoneless.stdout).toContain('time = "ts" (ISO 8601 without a zone: UTC), price = "price_usd"')
    expect(zoneless.rows).toEqual([{ at: start, topic, price: 2 }])
  })

  it('reads offsets of hours, the basic form of ISO 8601, and quoted line breaks', async () => {
    const text = [
      'time,price,note',
      '2024-03-10 15:41:33.895+01,2682.5,"a, b"',
      '2024-03-10 15:45:31+01,2683,"two',
      'lines"',
      '20240310T144636Z,2684.25,"a ""quote"""',
      '20240310T1446-0100,2685,',
      '',
    ].join('\n')
    const { rows, stdout } = await imported({ 'trades.csv': text })
    const at = (time: string) => Date.parse(`2024-03-10T${time}Z`)
    expect(rows.map((row) => [row.at, row.price])).toEqual([
      [at('14:41:33.895'), 2682.5],
      [at('14:45:31'), 2683],
      [at('14:46:36'), 2684.25],
      [at('15:46:00'), 2685],
    ])
    expect(stdout).not.toContain('invalid rows')
  })

  it('fails for a quote that has no end, with its line', async () => {
    const rows = priceRows(1_500)
    const lines = rows.map(({ at, price: usd }, index) =>
      index === 3 ? `"${at},${usd},1` : `${at},${usd},1`,
    )
    const { code, stderr } = await imported({ 'trades.csv': ['time,price,amount', ...lines, ''].join('\n') })
    expect(code).toBe(1)
    expect(stderr).toContain('line 5: a quoted cell has no end')
    const empty = await imported({
      'trades.csv': ['time,price,amount', ...lines.slice(0, 3), '" '].join('\n'),
    })
    expect(empty.stderr).toContain('line 5: a quoted cell has no end')
  })

  it.each<[string, string, RegExp]>([
    [
      'a column that may name the token of a row',
      `time,tic,price\n${start},XYZ,2376\n${start + 1},ABC,8.5\n`,
      /"tic" may name the token of a row, and has several values, such as "XYZ", "ABC": give --symbol/,
    ],
    [
      'the asset of a pair, whose name is in two columns',
      `time,base_asset,quote_asset,price\n${start},ETH,USDT,2376\n${start},BTC,USDT,90000\n`,
      /"base_asset" may name the token of a row, and has several values, such as "ETH", "BTC": give --symbol/,
    ],
    [
      'the addresses of pools',
      `time,pool_address,price\n${start},0xab,2376\n${start},0xcd,8\n`,
      /"pool_address" may name/,
    ],
    [
      'a number of an instrument',
      `time,Asset_ID,price\n${start},1,2376\n${start},2,8\n`,
      /"Asset_ID" may name/,
    ],
    [
      'hours in place of seconds',
      'time,price\n2134010117,1\n2134010118,1\n',
      /times of the future, up to 2037/,
    ],
    [
      'times that a spreadsheet has cut',
      'time,price\n1.763E+12,1\n1.763E+12,1\n',
      /end before their unit, ms/,
    ],
    [
      'decimal commas, whose points group digits',
      `time;price\n${start};1.355\n${start + 1};1.000,50\n`,
      /"1\.000,50" has a decimal comma or groups of digits/,
    ],
    [
      'groups of digits, without which small numbers remain',
      `time,price\n${start},999.5\n${start + 1},"1,000.50"\n`,
      /"1,000\.50" has a decimal comma or groups of digits/,
    ],
    [
      'groups of digits without quotes, which are cells of their own',
      `time,price\n${start},999.5\n${start + 1},998.5\n${start + 2},1,000.50\n`,
      /line 4 has more cells than columns: quote cells that contain the delimiter/,
    ],
    [
      'days without the times of their prices',
      'date,hour,price\n2025-11-12,0,1\n2025-11-12,1,2\n2025-11-13,0,3\n2025-11-13,1,4\n',
      /"date" has days, and several rows of each: write the time of day into it/,
    ],
    [
      'times in two units',
      `time,price\n${start},1\n${start + 1}000,2\n`,
      /"time" has times in ms, and others in µs, which are left out: write all in one unit/,
    ],
    [
      'different candles of one start',
      `time,open,high,low,close\n${start},1,2,1,2\n${start},1,2,1,1\n${start + 60_000},1,2,1,1\n`,
      /has different candles that start at 2025-11-13T02:14:00.000Z: keep one of them;/,
    ],
    [
      'candles of an hour that repeats',
      'time,open,high,low,close\n2026-10-25 02:30:00,1,2,1,2\n2026-10-25 02:30:00,1,2,1,1\n2026-10-25 02:31:00,1,2,1,1\n',
      /keep one of them, or write the times with their zone, if an hour repeats at the end of summer time;/,
    ],
  ])('has a doubt about %s, which ends the import without --yes', async (_, text, problem) => {
    const { code, stderr, out } = await imported({ 'market.csv': text })
    expect([code, existsSync(out)]).toEqual([1, false])
    expect(stderr).toMatch(problem)
    expect(stderr).toContain('--yes')
    expect(await imported({ 'market.csv': text }, ['--token', address, '--yes'])).toMatchObject({ code: 0 })
  })

  it('has a doubt about the prices of a base in several quotes', async () => {
    const text = `time,base,quote,price\n${start},ETH,USDT,2376\n${start},ETH,BTC,0.03\n`
    const { code, stderr } = await imported({ 'market.csv': text }, tokenFlags)
    expect(code).toBe(1)
    expect(stderr).toContain('"quote" may name the token of a row, and has several values')
    const oneQuote = text.replace('BTC', 'USDT')
    expect(await imported({ 'market.csv': oneQuote }, tokenFlags)).toMatchObject({ code: 0 })
  })

  it.each([
    ['the numbers of contracts', 'time,price,contracts', ['2376,10', '2377,20']],
    ['the numbers of quotes', 'time,bid,ask,quotes', ['2375,2377,1', '2376,2378,2']],
    [
      'the addresses of the bases',
      'time,base,base_address,quote,price',
      ['ETH,0xab,USDT,2376', 'BTC,0xcd,USDT,9'],
    ],
  ])('has no doubt about %s', async (_, names, [first = '', second = '']) => {
    const text = `${names}\n${start},${first}\n${start + 1},${second}\n`
    const flags = names.includes('base') ? tokenFlags : ['--token', address]
    expect(await imported({ 'market.csv': text }, flags)).toMatchObject({ code: 0, stderr: '' })
  })

  it.each<[string, string, readonly string[], string]>([
    [
      'candles whose columns are given in another order',
      [0, 1, 2].map((minute) => `${start + minute * 60_000},90,110,100,105\n`).join(''),
      ['--time', '1', '--open', '2', '--high', '3', '--low', '4', '--close', '5'],
      'the open or the close is not between the low and the high: 3, first in line 1',
    ],
    [
      'bids and asks that are exchanged',
      `${start},2681,2680\n${start + 1},2681,2681\n`,
      ['--time', '1', '--bid', '2', '--ask', '3'],
      'the bid is above the ask: 1, first in line 1',
    ],
    [
      'a wrong price, and the one after it',
      `time,price\n${[2680, 2681, 268_100, 2682, 5_363, 1].map((each, index) => `${start + index},${each}\n`).join('')}`,
      [],
      'the price is more than twice, or less than half, that of the row before: 3, first in line 4',
    ],
    [
      'a quote far from the market',
      `time,bid,ask\n${start},2680,2681\n${start + 1},0.01,199999.99\n${start + 2},2680,2682\n`,
      [],
      'the price is more than twice, or less than half, that of the row before: 2, first in line 3',
    ],
    [
      'a row that is cut off',
      `time,price,amount\n${start},2680,1\n${start + 1},26`,
      [],
      'fewer cells than columns: 1, first in line 3',
    ],
    [
      'rows that are sorted, as those of an hour that summer time repeats',
      `time,price\n2024-10-27 02:59,1\n2024-10-27 02:00,2\n2024-10-27 02:01,3\n2024-10-27 03:00,4\n`,
      [],
      'rows earlier than one before them, which are sorted: 2\n',
    ],
  ])('reports %s', async (_, text, flags, problem) => {
    const { code, stdout } = await imported({ 'market.csv': text }, ['--token', address, ...flags])
    expect(code).toBe(0)
    expect(stdout).toContain(problem)
  })

  it('reports no problem of rows without one', async () => {
    const { stdout } = await ticksOf(`${candleHeader}${candle(0, 100)}${candle(1, 100)}`)
    expect(stdout).not.toMatch(/doubt|earlier/)
  })

  it('compares a price with the one before of its token', async () => {
    const rows = [2680, 50_000, 2681, 50_001, 1340.5].map(
      (each, index) => `${start},${[address, other][index % 2]},${each}`,
    )
    const { stdout } = await imported({ 'market.csv': ['time,topic,price', ...rows, ''].join('\n') }, [])
    expect(stdout).not.toContain('doubt')
  })

  it('takes the column with the usual case of its name, in any order of the columns', async () => {
    const stream = [0, 1].map((minute) =>
      JSON.stringify({
        T: start + minute * 60_000 + 59_999,
        c: 2,
        h: 3,
        l: 1,
        o: 2,
        t: start + minute * 60_000,
      }),
    )
    const { rows } = await imported({ 'candles.ndjson': stream.join('\n') })
    expect(rows.map(({ at }) => (at - start) / 60_000)).toEqual([0, 1, 1, 2])
    const tops = JSON.stringify({ A: 40.66, B: 31.21, a: 2681, b: 2680, s: 'ETH', ts: start })
    expect((await imported({ 'tops.ndjson': tops })).rows).toEqual([{ at: start, topic, price: 2680.5 }])
  })

  it('takes the start of a candle for no time of a price that is later', async () => {
    const row = { symbol: 'ETH', lastPrice: '2', openTime: start - 86_400_000, closeTime: start }
    const ticker = JSON.stringify({ ...row, openPrice: '1', highPrice: '3', lowPrice: '1' })
    const refused = await imported({ 'ticker.ndjson': ticker })
    expect(refused.stderr).toContain('no column of times is recognised in "symbol", "lastPrice", "openTime"')
    const flags = ['--token', address, '--time', 'closeTime', '--price', 'lastPrice']
    const { rows } = await imported({ 'ticker.ndjson': ticker }, flags)
    expect(rows).toEqual([{ at: start, topic, price: 2 }])
  })

  it.each([
    ['a close of another name', 'Date,Price,Open,High,Low', '2,1,3,1', ['--close', 'Price'], [1, 2]],
    ['a price and the high of its day', 'Date,last,high,low', '2,3,1', ['--price', 'last'], [2]],
    ['quotes', 'Date,high,low,bid,ask,open,close', '3,1,1,3,1,2', ['--bid', 'bid'], [2]],
  ])('asks whether rows with a high and a low are candles: %s', async (_, header, cells, flags, usd) => {
    const text = `${header}\n2025-11-13,${cells}\n2025-11-14,${cells}\n`
    const { code, stderr } = await imported({ 'days.csv': text })
    expect(code).toBe(1)
    expect(stderr).toContain('no kind of prices is recognised in "Date", ')
    expect(stderr).toContain('give --price, --bid and --ask, or --open, --high, --low and --close by name')
    const { rows } = await imported({ 'days.csv': text }, ['--token', address, ...flags])
    expect(rows.slice(0, usd.length).map(({ price: each }) => each)).toEqual(usd)
  })

  it('finds the header after rows with one value, as a spreadsheet writes them', async () => {
    const text = `sep=;\nPrices of ETH;;\ntime;price;note\n${start};2680;\n`
    const { stdout, rows } = await imported({ 'trades.csv': text })
    expect(stdout).toContain('header in line 3')
    expect(rows).toEqual([{ at: start, topic, price: 2680 }])
  })

  it('says what to do with a pipe, which cannot be read twice', async () => {
    const folder = newFolder()
    const path = (name: string) => join(folder, name)
    writeFileSync(path('trades.csv'), csv(priceRows(2)))
    const command = 'mkfifo pipe && (cat trades.csv > pipe &)'
    execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'ignore' })
    const { code, stderr } = await runInProcess([
      ...['import', path('pipe'), '--token', address],
      ...['--out', path('market.ndjson')],
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('pipe is a pipe, which can be read only once: write it to a file first')
  })

  it('refuses columns of Parquet with one name, which it cannot tell apart', async () => {
    const columnData = [
      { name: 'time', data: [start], type: 'DOUBLE' as const },
      { name: 'price', data: [1], type: 'DOUBLE' as const },
      { name: 'price', data: [2], type: 'DOUBLE' as const },
    ]
    const files = { 'trades.parquet': new Uint8Array(parquetWriteBuffer({ columnData })) }
    const { code, stderr } = await imported(files, ['--token', address, '--price', '3'])
    expect(code).toBe(1)
    expect(stderr).toContain('trades.parquet: several columns are "price": rename them')
  })

  it('has a doubt about files with different candles of one token and start', async () => {
    const first = candleHeader + candle(0, 100) + candle(1, 101)
    const files = { 'a.csv': first, 'b.csv': candleHeader + candle(1, 201) + candle(2, 202) }
    const { code, stderr } = await imported(files)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /a\.csv and .*b\.csv have different candles that start at 2025-11-13T02:15:00.000Z/,
    )
    expect(stderr).toContain('--yes')
    const { stdout } = await imported(files, ['--token', address, '--yes'])
    expect(stdout).toMatch(/^doubt: .*a\.csv and .*b\.csv have different candles/m)
    const overlapping = { 'a.csv': first, 'b.csv': candleHeader + candle(1, 101) + candle(2, 102) }
    expect(await imported(overlapping)).toMatchObject({ code: 0 })
  })

  it('has no doubt about a column of numbers or of one value, as public candles have them', async () => {
    const header =
      'open_time,open,high,low,close,quote_asset_volume,taker_buy_base_asset_volume,exchange,market\n'
    const text =
      header + [0, 1].map((minute) => candle(minute, 100, minute, 2 * minute, 'x', 'spot')).join('')
    expect(await imported({ 'candles.csv': text })).toMatchObject({ code: 0 })
  })

  it.each([
    ['a snapshot', 'is_snapshot,side', 'true,buy'],
    ['the sides of a book', 'note,side', 'x,ask'],
  ])('refuses the changes of a book, by %s', async (_, names, cells) => {
    const { code, stderr } = await imported({
      'book.csv': `time,${names},price,amount\n${start},${cells},1,2\n`,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('it has the changes of a book, not trades')
  })

  it('says which compressions of Parquet are read', async () => {
    const columnData = [
      { name: 'time', data: [start], type: 'DOUBLE' as const },
      { name: 'price', data: [1], type: 'DOUBLE' as const },
    ]
    const compressors = { LZ4_RAW: (bytes: Uint8Array) => bytes }
    const parquet = parquetWriteBuffer({ columnData, codec: 'LZ4_RAW', compressors })
    const { stderr } = await imported({ 'a.parquet': new Uint8Array(parquet) })
    expect(stderr).toContain('unsupported compression codec: LZ4_RAW; write it with snappy or gzip')
  })

  it('takes the number of a column whose name is empty', async () => {
    const files = { 'index.csv': `,price,volume\n2025-11-13 02:14,1,5\n` }
    expect((await imported(files)).stderr).toContain('give --time by name, or by number from 1')
    const { rows } = await imported(files, ['--token', address, '--time', '1'])
    expect(rows).toEqual([{ at: start, topic, price: 1 }])
  })

  it('says why no row may be valid', async () => {
    const { stderr } = await imported({ 'trades.csv': `time,price\n${start},"1,600.5"\n` })
    expect(stderr).toContain('no row is valid; "1,600.5" has a decimal comma or groups of digits')
  })

  it('imports trades with the sides of a book by --yes, and its tops', async () => {
    const text = `time,side,price,bid_px,ask_px\n${start},A,2,1,3\n${start + 1},B,4,3,5\n`
    const usd = async (...flags: readonly string[]) =>
      (await imported({ 'trades.csv': text }, ['--token', address, ...flags])).rows.map((row) => row.price)
    expect(await usd('--yes')).toEqual([2, 4])
    expect(await usd('--bid', 'bid_px', '--ask', 'ask_px')).toEqual([2, 4])
  })

  it('takes rows with the sides b and s for trades, whichever is more frequent', async () => {
    const sides = ['b', 'b', 'S', 'b']
    const lines = sides.map((side, index) => `${start + index},${side},${100 + index}\n`)
    const { code, rows } = await imported({ 'trades.csv': `time,side,price\n${lines.join('')}` })
    expect([code, rows.length]).toEqual([0, 4])
  })

  it('sorts at most --max-rows rows that are not in order', async () => {
    const rows = priceRows(4).toReversed()
    const flags = ['--token', address, '--max-rows']
    expect((await imported({ 'trades.csv': csv(rows) }, [...flags, '4'])).rows).toHaveLength(4)
    const { code, stderr } = await imported({ 'trades.csv': csv(rows) }, [...flags, '3'])
    expect(code).toBe(1)
    expect(stderr).toContain(
      'trades.csv: its 4 rows are not in order, and are more than --max-rows 3; sort them first: sort',
    )
    expect((await imported({ 'trades.csv': csv(priceRows(4)) }, [...flags, '3'])).rows).toHaveLength(4)
  })

  it('reads a header and a single row without a line break at its end', async () => {
    const { code, rows } = await imported({ 'a.csv': `time,price\n${start},5` })
    expect(code).toBe(0)
    expect(rows).toEqual([{ at: start, topic, price: 5 }])
  })

  it('reads a file whose first row is longer than a piece of the file', async () => {
    const text = `time,price,note\n${start},1,${'x'.repeat(600_000)}\n${start + 1},2,y\n`
    const { rows, stdout } = await imported({ 'trades.csv': text })
    expect(stdout).toContain('header in line 1')
    expect(rows.map(({ price: usd }) => usd)).toEqual([1, 2])
  })

  it('writes a compressed recording, as a process', async () => {
    const result = await imported({ 'trades.csv': csv(priceRows(3)) }, ['--token', address], async (args) => {
      const { code, stdout, stderr } = await runCommand(
        args.map((arg) => arg.replace(/market\.ndjson$/, '$&.gz')),
      )
      return { code: Number(code), stdout, stderr }
    })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(
      gunzipSync(readFileSync(`${result.out}.gz`))
        .toString()
        .split('\n'),
    ).toHaveLength(5)
  })

  it('leaves no file if it is stopped while it writes', async () => {
    const folder = newFolder()
    const path = (name: string) => join(folder, name)
    writeFileSync(path('trades.csv'), csv(priceRows(100_000)))
    const command = startInProcess([
      ...['import', path('trades.csv'), '--token', address],
      ...['--out', path('market.ndjson')],
    ])
    await eventually(() => existsSync(path('market.ndjson.part')))
    command.process.kill('SIGINT')
    expect(await command.waitForExit()).toBe(1)
    expect(command.stderr).toBe('error: stopped; no file was written\n')
    expect(readdirSync(folder)).toEqual(['trades.csv'])
  })

  it('gives a strategy the values that it has over the same market recorded', async () => {
    const market = priceRows(50)
    const recorded = memoryWriter()
    const live$ = from(market.map((row) => right(price(topic, row.price, { receivedAt: row.at }))))
    await record(createTestClient({ prices: { [topic]: live$ } }), { topics: [topic], to: recorded }).finished
    const { out } = await imported({ 'trades.csv': csv(market) })
    const strategy = (client: Client) => client.price$(topic).pipe(candles(1000), rights(), toArray())
    const valuesOf = (source: string | Iterable<string>) =>
      lastValueFrom(replay(source, { speed: Infinity }).run$(strategy))
    const recordedAtTimes = recorded
      .text()
      .replace(/"at":\d+(,"topic":"[^"]*","event":.*?"receivedAt":)(\d+)/g, '"at":$2$1$2')
      .replace(/"at":\d+(,"status")/g, `"at":${start}$1`)
      .replace(/"at":\d+(,"topics")/, `"at":${start}$1`)
      .replace(/"at":\d+(,"of")/g, `"at":${start + 49 * 250}$1`)
    const values = await valuesOf(out)
    expect(values.length).toBeGreaterThan(5)
    expect(values).toEqual(await valuesOf(chunksOf(recordedAtTimes)))
  })
})

interface Form {
  readonly delimiter: string
  readonly hasHeader: boolean
  readonly isQuoted: boolean
  readonly lineEnd: string
  readonly unit: string
  readonly isGzip: boolean
  readonly encoding: string
  readonly hasEnd: boolean
}

/** A row of a generated market. */
const generatedRow = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat({ max: 100_000 })),
  isFirst: fc.boolean(),
  price: fc.double({ min: 1e-9, max: 1e12, noNaN: true }),
})

const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  hasHeader: fc.boolean(),
  isQuoted: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  unit: fc.constantFrom('s', 'ms', 'µs', 'ns', 'iso'),
  isReversed: fc.boolean(),
  isGzip: fc.boolean(),
  encoding: fc.constantFrom('utf8', 'utf8 with BOM', 'utf16le', 'ndjson'),
  hasEnd: fc.boolean(),
})

const timeText = (at: number, unit: string): string => {
  if (unit === 's') return `${Math.floor(at / 1000)}.${String(at % 1000).padStart(3, '0')}`
  if (unit === 'iso') return new Date(at).toISOString().slice(0, -1)
  return `${at}${unit === 'µs' ? '999' : unit === 'ns' ? '999999' : ''}`
}

describe('import of a generated market', () => {
  it('has the rows of the market, in each dialect', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(generatedRow, { minLength: 3, maxLength: 30 }),
        dialect,
        async (steps, form) => {
          let at = start
          const market = steps.map(({ wait, isFirst, price: usd }) => {
            at += wait
            return { at, symbol: isFirst ? 'ETH' : 'BTC', price: usd }
          })
          // Rows of one ms keep the order of the file.
          const inFile = form.isReversed ? market.toReversed() : market
          const { code, rows, stderr, stdout } = await imported(
            { 'market.txt': contentOf(inFile, form) },
            form.hasHeader || form.encoding === 'ndjson'
              ? tokenFlags
              : [...tokenFlags, '--time', '1', '--symbol', '2', '--price', '3'],
          )
          expect([code, stderr, stdout]).toEqual([0, '', expect.not.stringContaining('invalid rows')])
          expect(rows).toEqual(
            inFile
              .toSorted((a, b) => a.at - b.at)
              .map((row) => ({
                at: row.at,
                topic: row.symbol === 'ETH' ? topic : `svc-${other}`,
                price: row.price,
              })),
          )
        },
      ),
      { numRuns: caseCount(400) },
    )
  })

  it('never crashes for mutilated bytes, and counts each row', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(generatedRow, { minLength: 5, maxLength: 20 }),
        dialect,
        fc.array(fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), { maxLength: 8 }),
        fc.constantFrom('change', 'cut', 'repeat'),
        async (steps, form, changes, how) => {
          const market = steps.map(({ price: usd }, index) => ({
            at: start + index,
            symbol: 'ETH',
            price: usd,
          }))
          const bytes = Buffer.from(contentOf(market, { ...form, isGzip: false }))
          if (how === 'change') for (const { at, byte } of changes) bytes[at % bytes.length] = byte
          const content =
            how === 'cut'
              ? bytes.subarray(0, (changes[0]?.at ?? 0) % bytes.length)
              : how === 'repeat'
                ? Buffer.concat([bytes, bytes])
                : bytes
          const { code, rows, stderr, stdout } = await imported({ 'market.txt': content }, tokenFlags)
          expect(stderr).not.toMatch(/TypeError|RangeError|undefined|is not a function/)
          expect([0, 1]).toContain(code)
          expect(rows.length > 0).toBe(code === 0)
          const valid = Number(/valid rows: (\d+)/.exec(stdout)?.[1] ?? 0)
          if (code === 0 && !stdout.includes('candles')) expect(rows.length).toBe(valid)
        },
      ),
      { numRuns: caseCount(400) },
    )
  })
})

const contentOf = (
  market: readonly { readonly at: number; readonly symbol: string; readonly price: number }[],
  { delimiter, hasHeader, isQuoted, lineEnd, unit, isGzip, encoding, hasEnd }: Form,
): Uint8Array => {
  const cell = (text: string) => (isQuoted ? `"${text}"` : text)
  const lines = market.map(({ at, symbol, price: usd }) =>
    encoding === 'ndjson'
      ? JSON.stringify({ timestamp: timeText(at, unit), symbol, price: usd })
      : [timeText(at, unit), symbol, String(usd)].map(cell).join(delimiter),
  )
  if (hasHeader && encoding !== 'ndjson')
    lines.unshift(['timestamp', 'symbol', 'price'].map(cell).join(delimiter))
  const text = lines.join(lineEnd) + (hasEnd ? lineEnd : '')
  const bytes =
    encoding === 'utf16le'
      ? Buffer.from(`\uFEFF${text}`, 'utf16le')
      : Buffer.from(encoding === 'utf8 with BOM' ? `\uFEFF${text}` : text)
  return isGzip ? gzipSync(bytes) : bytes
}
