import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { left, right } from 'fp-ts/lib/Either.js'
import type { Address, Topic } from 'svc-streams'
import { depth, disconnected, price } from 'svc-streams/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRotatingFile } from '../../src/backtest/recording/write/rotating-file.js'
import { encodeRow } from '../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../src/backtest/recording/codec/row.js'
import { runInProcess } from '../cli/support/in-process.js'
import { readPage } from './support/block.js'

// Runs the blocks of the guide to the analysis of recordings, over compressed files of a rotated recording.

const page = readPage('docs/strategies/analysis.md')

const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)

const run = promisify(execFile)
const minute = 60_000
const start = Date.UTC(2026, 10, 22, 10)
const mint: Address = '0xab'
const topic: Topic = `svc-${mint}`
/** Has more digits than a double. */
const quantity = 123_456_789_012_345_678_901_234_567_890_123_457n

const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at: start,
  topics: [topic],
  mints: [mint],
  interval: 1000,
}

const priceAt = (ms: number, usd: number, epoch: number): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: right(price(topic, usd, { receivedAt: start + ms, epoch })),
})

const rows: readonly Row[] = [
  { _tag: 'Status', at: start, status: { _tag: 'Open', epoch: 1, since: start } },
  priceAt(1, 2500.1, 1),
  priceAt(30_000, 2600.5, 1),
  {
    _tag: 'Depth',
    at: start + 40_000,
    mint,
    event: right(depth(mint, { price: 2550, buy: { totalQuantity: quantity, totalQuantityUsd: 1.5 } })),
  },
  {
    _tag: 'Price',
    at: start + 50_000,
    topic,
    event: left(disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 5 })),
  },
  priceAt(minute, 2400.25, 2),
  priceAt(minute + 1, 0.1 + 0.2, 2),
]

let folder = ''

/** The files of the recording, and DuckDB from npm. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'analysis-'))
  const file = createRotatingFile(join(folder, 'market.ndjson'), {
    period: minute,
    isGzip: true,
    startAt: start,
    elapsed: () => 0,
  })
  for (const row of [header, ...rows])
    file.write(`${encodeRow(row)}\n`, (error) => expect(error).toBeUndefined())
  file.close()
  expect(file.name).toMatch(/^2 files/)
  const recordings = readdirSync(folder).map((name) => join(folder, name))
  const { code } = await runInProcess([
    'export',
    ...recordings.sort(),
    '--out',
    join(folder, 'market.parquet'),
  ])
  expect(code).toBe(0)
  mkdirSync(join(folder, 'duckdb'))
  writeFileSync(join(folder, 'duckdb/package.json'), '{}')
  await run('npm', ['install', '@duckdb/node-api@1.5.6-r.1', '--no-audit', '--no-fund'], {
    cwd: join(folder, 'duckdb'),
  })
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program in the folder of the recording. Returns what it prints. */
const output = async (command: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(command, [...args], { cwd: folder })
  return stdout
}

describe('the sql blocks of the guide', () => {
  it('run in DuckDB, and give the recorded values with all digits', async () => {
    const program = join(folder, 'query.mjs')
    writeFileSync(
      program,
      `import { DuckDBInstance } from ${JSON.stringify(pathToFileURL(join(folder, 'duckdb/node_modules/@duckdb/node-api/lib/index.js')).href)}
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const queries = [...${JSON.stringify(blocksOf('sql'))}, 'SELECT sum(buy_quantity) AS total FROM depths']
const results = []
for (const query of queries) results.push((await connection.runAndReadAll(query)).getRowObjectsJson())
console.log(JSON.stringify(results))`,
    )
    const results = JSON.parse(await output(process.execPath, program)) as readonly unknown[]
    expect(results.slice(1)).toEqual([
      [
        { topic, minute: '2026-11-22 10:00:00', open: 2500.1, high: 2600.5, low: 2500.1, close: 2600.5 },
        {
          topic,
          minute: '2026-11-22 10:01:00',
          open: 2400.25,
          high: 2400.25,
          low: 0.1 + 0.2,
          close: 0.1 + 0.2,
        },
      ],
      [{ kind: 'Price', error: 'Disconnected', count: '1' }],
      [{ time: '2026-11-22 10:00:40', mint, price: 2600.5, buy_quantity: String(quantity) }],
      [{ total: String(quantity) }],
    ])
  }, 60_000)
})

const hasPandas = await run('python3', ['-c', 'import pandas']).then(
  () => true,
  () => false,
)

/** Without pandas there is no test of the block, as the guide says. */
if (hasPandas) {
  describe('the python block of the guide', () => {
    it('runs in pandas, and gives the recorded values with all digits', async () => {
      const program = join(folder, 'analysis.py')
      const check =
        "import json\nprint('RESULT', json.dumps([prices['price'].tolist(), prices['epoch'].tolist(), str(prices['time'].iloc[0]), depths['buy.totalQuantity'].tolist(), candles['close'].tolist()]))\n"
      writeFileSync(program, blocksOf('python').join('\n') + check)
      const [, result = ''] = (await output('python3', program)).split('RESULT ')
      // The quantity is compared as text: JSON.parse would round it.
      expect(result).toContain(`[${quantity}]`)
      expect(JSON.parse(result)).toMatchObject([
        [2500.1, 2600.5, 2400.25, 0.1 + 0.2],
        [1, 1, 2, 2],
        '2026-11-22 10:00:00.001000+00:00',
        [Number(quantity)],
        [2600.5, 0.1 + 0.2],
      ])
    }, 60_000)
  })
}
