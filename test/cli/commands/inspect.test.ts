import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Topic } from '../../../src/base/domain/topic.js'
import { stale } from '../../../src/base/errors/constructors.js'
import {
  down,
  errorRow,
  header,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../../backtest/recording/support/recordings.js'
import { runInProcess as runCommand } from '../support/in-process.js'
import { newFile } from '../support/new-file.js'

const first = recordingText(
  header,
  ...[0, 100, 200, 1100, 2100, 2200].map((ms) => priceRow(ms, 5)),
  priceRow(4100, 7, other),
  errorRow(5000, down),
  priceRow(7000, 6),
  errorRow(9000, stale(topic, 5, undefined)),
  priceRow(9500, 6),
)
const second = recordingText(
  { ...header, at: start + 29_500, topics: [topic] },
  priceRow(30_000, 8),
  priceRow(30_500, 8),
)

const summary = {
  topic,
  rows: 12,
  earlierRows: 0,
  skewedRows: 0,
  from: start,
  to: start + 30_500,
  coveredMs: 7500,
  gaps: {
    disconnected: { count: 1, ms: 2000, longestMs: 2000 },
    stale: { count: 1, ms: 500, longestMs: 500 },
    unrecorded: { count: 1, ms: 20_500, longestMs: 20_500 },
  },
  connections: 2,
  pricesPerSecond: { median: 1, max: 3 },
  longestSilenceMs: 2800,
}

describe('inspect', () => {
  test('prints one line per topic, of several files in any order', async () => {
    const files = [newFile('b.ndjson.gz'), newFile('a.ndjson', first)] as const
    writeFileSync(files[0], gzipSync(second))
    const { code, stdout, stderr } = await runCommand(['inspect', ...files])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatchInlineSnapshot(`
      "token     rows  from                  to                    disconnected      stale  unrecorded  conn  prices/s  silence
      svc-0xab    12  2023-11-14T22:14:00Z  2023-11-14T22:14:30Z     1 (2.0 s)  1 (0.5 s)  1 (20.5 s)     2  1, max 3    2.8 s
      svc-0xcd     1  2023-11-14T22:14:04Z  2023-11-14T22:14:04Z             0          0  1 (21.0 s)     1  0, max 1    5.4 s
      "
    `)
  })

  test('--json prints one object per topic', async () => {
    const files = [newFile('a.ndjson', first), newFile('b.ndjson', second)]
    const { code, stdout } = await runCommand(['inspect', ...files, '--json'])
    expect(code).toBe(0)
    const [of, ofOther] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(of).toEqual(summary)
    expect(ofOther).toMatchObject({
      topic: other,
      rows: 1,
      coveredMs: 5400,
      gaps: { unrecorded: { count: 1, ms: 21_000 } },
    })
  })

  test('reads files of one topic each, as in the history of a gateway, whose times overlap', async () => {
    const fileOf = (name: string, only: Topic, at: number, ...rows: readonly number[]) => {
      const text = recordingText(
        { ...header, at: start + at, topics: [only] },
        ...rows.map((ms) => priceRow(ms, 5, only)),
      )
      return newFile(name, text)
    }
    const files = [
      fileOf('a.0.ndjson', topic, 0, 0, 1000, 2000),
      fileOf('a.5.ndjson', topic, 5000, 5000, 6000),
      fileOf('b.0.ndjson', other, 100, 100, 1100, 6100),
    ]
    const { stdout } = await runCommand(['inspect', ...files])
    expect(stdout).toMatchInlineSnapshot(`
      "token     rows  from                  to                    disconnected  stale  unrecorded  conn  prices/s  silence
      svc-0xab     5  2023-11-14T22:14:00Z  2023-11-14T22:14:06Z             0      0   1 (3.0 s)     2  1, max 1    1.0 s
      svc-0xcd     3  2023-11-14T22:14:00Z  2023-11-14T22:14:06Z             0      0           0     1  0, max 1    5.0 s
      "
    `)
  })

  test('prints each depth that is assumed, and each length of candles, of several files', async () => {
    const fileOf = (name: string, at: number, assumedDepth: string, candles: string) =>
      newFile(name, recordingText({ ...header, at, assumedDepth, candles }, priceRow(at - start, 5)))
    const files = [
      fileOf('a.ndjson', start, '50', '1 min 00 s'),
      fileOf('b.ndjson', start + 60_000, '7', '1 h'),
    ]
    const { stdout } = await runCommand(['inspect', ...files])
    expect(stdout).toContain('not recorded: 50 or 7 tokens on both sides with each price')
    expect(stdout).toContain('the opens and the closes of candles of 1 min 00 s and 1 h')
    const json = await runCommand(['inspect', files[0]!, '--json'])
    expect(JSON.parse(json.stdout.split('\n')[0]!)).toMatchObject({
      assumedDepth: '50',
      candles: '1 min 00 s',
    })
  })

  test('--max-gap fails with exit code 1 if a gap is longer', async () => {
    const file = newFile('a.ndjson', first)
    expect(await runCommand(['inspect', file, '--max-gap', '2s'])).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['inspect', file, '--max-gap', '1s'])).toMatchObject({
      code: 1,
      stderr: `error: ${topic} has a gap of 2.0 s\n`,
    })
    expect(await runCommand(['inspect', file, '--max-gap', 'soon'])).toMatchObject({ code: 2 })
  })

  test('--max-gap counts a silence that a report shows as a gap', async () => {
    const prices = Array.from({ length: 40 }, (_, index) => priceRow(index * 60_000, 5))
    const file = newFile('a.ndjson', recordingText(header, ...prices, priceRow(72 * 3_600_000, 5)))
    expect(await runCommand(['inspect', file, '--max-gap', '72h'])).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['inspect', file, '--max-gap', '1h'])).toMatchObject({
      code: 1,
      stderr: `error: ${topic} has a gap of 71 h 21 min\n`,
    })
  })

  test('--max-gap counts no time before the first price of a topic as a gap', async () => {
    const lines = [errorRow(100, stale(topic, 5, undefined)), errorRow(60_000, down), priceRow(90_000, 5)]
    const file = newFile('a.ndjson', recordingText(header, ...lines, priceRow(90_500, 5)))
    expect(await runCommand(['inspect', file, '--max-gap', '1s'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('fails with exit code 1 for each damaged file, and inspects all others', async () => {
    const files = [newFile('a.ndjson', first.slice(0, -10)), '/no/such/file', newFile('b.ndjson', second)]
    const { code, stdout, stderr } = await runCommand(['inspect', ...files])
    expect(code).toBe(1)
    expect(stdout).toContain(`${topic}    11  `)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^line 12 of ${files[0]}: expected JSON`),
      '/no/such/file does not exist (ENOENT); see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#recordingerror',
      'error: 2 of 3 files cannot be read to the end',
    ])
    const { stdout: json } = await runCommand(['inspect', ...files, '--json'])
    const objects = json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(objects.slice(2)).toMatchObject([
      { source: files[0], line: 12 },
      { source: '/no/such/file', line: 1 },
    ])
  })
})
