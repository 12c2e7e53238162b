import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isRight } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, toArray } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { openHistory } from 'svc-streams/history'
import { describe, expect, it } from 'vitest'
import { createRotatingFile } from '../../../../src/backtest/recording/write/rotating-file.js'
import { encodeRow } from '../../../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'
import { newFile } from '../../../cli/support/new-file.js'
import { priceRow } from '../../../cli/support/rows.js'

const hour = 3_600_000
const startAt = Date.parse('2026-11-22T09:23:45.678Z')
const topic = 'svc-0xab'
const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at: startAt,
  topics: [topic],
  mints: [],
  interval: 1000,
}
const row = (at: string, usd: number): Row => ({
  ...priceRow(topic, usd),
  at: Date.parse(`2026-11-22T${at}Z`),
})

const rows = [
  row('09:30:00', 1),
  row('09:59:59.999', 2),
  row('10:00:00', 3),
  row('10:30:00', 4),
  row('10:20:00', 5),
  // Nothing is recorded for two hours.
  row('13:00:01', 6),
]

/** Writes these rows to files like `out`. Returns their names, in alphabetical order. */
const writeTo = (out: string, isGzip = false, period = hour): readonly string[] => {
  const file = createRotatingFile(out, { period, isGzip, startAt, elapsed: () => 0 })
  const results: unknown[] = []
  for (const line of [header, ...rows]) file.write(`${encodeRow(line)}\n`, (error) => results.push(error))
  file.close()
  expect(results).toEqual([undefined, ...rows.map(() => undefined)])
  return readdirSync(dirname(out)).sort()
}

const pricesOf = (source: string | readonly string[]) =>
  lastValueFrom(
    replay(source, { speed: Infinity }).run$((client) =>
      client.price$(topic).pipe(
        map((event) => (event._tag === 'Right' ? event.right.price : event.left._tag)),
        toArray(),
      ),
    ),
  )

describe('a rotating file', () => {
  it('starts a new file with the first row of each period, named by the time of its start', async () => {
    const out = newFile('market.ndjson')
    const names = writeTo(out)
    expect(names).toEqual([
      'market.2026-11-22T09-23-45Z.ndjson',
      'market.2026-11-22T10-00-00Z.ndjson',
      'market.2026-11-22T13-00-01Z.ndjson',
    ])
    const paths = names.map((name) => join(dirname(out), name))
    expect(await Promise.all(paths.map(pricesOf))).toEqual([[1, 2], [3, 4, 5], [6]])
    expect(await pricesOf(paths)).toEqual([1, 2, 3, 4, 5, 6])
    expect(readFileSync(paths[1]!, 'utf8').split('\n')[0]).toBe(
      encodeRow({ ...header, at: Date.parse('2026-11-22T10:00:00Z'), continues: header.at }),
    )
    // Without the file between them, nobody knows what happened.
    expect(await pricesOf([paths[0]!, paths[2]!])).toEqual([1, 2, 'Disconnected', 6])
  })

  it.each([
    ['market.ndjson', true, 'market.2026-11-22T09-23-45Z.ndjson.gz'],
    ['market.ndjson.gz', true, 'market.2026-11-22T09-23-45Z.ndjson.gz'],
    ['market.gz', true, 'market.2026-11-22T09-23-45Z.gz'],
    ['market', true, 'market.2026-11-22T09-23-45Z.gz'],
    ['market', false, 'market.2026-11-22T09-23-45Z'],
    ['eu.west.ndjson', false, 'eu.west.2026-11-22T09-23-45Z.ndjson'],
  ])('for %s with gzip %s is named %s', (out, isGzip, expected) => {
    const path = newFile(out)
    const names = writeTo(path, isGzip)
    expect(names[0]).toBe(expected)
    const bytes = readFileSync(join(dirname(path), names[0]!))
    expect((isGzip ? gunzipSync(bytes) : bytes).toString()).toContain('"price":2')
  })

  it('overwrites no file: it adds a number to the name', () => {
    const out = newFile('market.ndjson')
    const taken = join(dirname(out), 'market.2026-11-22T10-00-00Z.ndjson')
    writeFileSync(taken, 'precious')
    const names = writeTo(out)
    expect(names).toContain('market.2026-11-22T10-00-00Z_2.ndjson')
    expect(readFileSync(taken, 'utf8')).toBe('precious')
  })

  it('starts a new file if the clock is set to another period, and if it stands still for a period', () => {
    const out = newFile('market.ndjson')
    let elapsed = 0
    const file = createRotatingFile(out, { period: hour, isGzip: false, startAt, elapsed: () => elapsed })
    const write = (line: Row | RecordingHeader): unknown =>
      file.write(`${encodeRow(line)}\n`, (error) => expect(error).toBeUndefined())
    for (const line of [header, row('09:30:00', 1), row('19:30:00', 2), row('09:40:00', 3)]) write(line)
    elapsed = hour
    write(row('09:40:00', 4))
    write(row('09:20:00', 5))
    file.close()
    expect(readdirSync(dirname(out)).sort()).toEqual([
      'market.2026-11-22T09-23-45Z.ndjson',
      'market.2026-11-22T09-40-00Z.ndjson',
      'market.2026-11-22T09-40-00Z_2.ndjson',
      'market.2026-11-22T19-30-00Z.ndjson',
    ])
  })

  it('keeps its file if the clock is set back by less than a period, so that all files can be read', async () => {
    const out = newFile('market.ndjson')
    let elapsed = 0
    const file = createRotatingFile(out, { period: hour, isGzip: false, startAt, elapsed: () => elapsed })
    const write = (line: Row | RecordingHeader): unknown =>
      file.write(`${encodeRow(line)}\n`, (error) => expect(error).toBeUndefined())
    for (const line of [header, row('09:30:00', 1), row('09:59:00', 2), row('10:05:00', 3)]) write(line)
    write({ ...header, at: row('09:50:00', 4).at })
    write(row('09:50:00', 4))
    elapsed = hour
    write(row('10:45:00', 5))
    file.close()
    const paths = readdirSync(dirname(out)).map((name) => join(dirname(out), name))
    expect(paths).toHaveLength(3)
    expect(await pricesOf(paths)).toEqual([1, 2, 3, 'Disconnected', 4, 5])
    const past$ = openHistory(paths).prices$(topic, { from: startAt, to: startAt + 2 * hour })
    const events = await lastValueFrom(past$.pipe(toArray()))
    const prices = events.map((event) =>
      isRight(event) && event.right._tag === 'PastPrice' ? event.right.price : 'Gap',
    )
    expect(prices.filter((each) => each !== 'Gap')).toEqual([1, 2, 3, 4, 5])
  })

  it('reports a file that cannot be created, and can be closed', () => {
    expect(() => writeTo('/no/such/folder/market.ndjson')).toThrow('ENOENT')
  })
})

it('continues the last recording of the file before, which a set clock has begun', () => {
  const out = newFile('market.ndjson', '')
  const file = createRotatingFile(out, { period: hour, isGzip: false, startAt, elapsed: () => 0 })
  const begun: RecordingHeader = { ...header, at: startAt + 5 }
  for (const line of [header, begun, ...rows.slice(1, 3)]) file.write(`${encodeRow(line)}\n`, () => undefined)
  file.close()
  const [, path = ''] = file.name.split('the last of which is ')
  const last = readFileSync(path, 'utf8').split('\n')[0]
  expect(JSON.parse(last!)).toEqual({ ...header, at: rows[2]!.at, continues: startAt + 5 })
})
