import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { NEVER, of, Subject } from 'rxjs'
import type { Price } from 'svc-streams'
import { record, replay } from 'svc-streams/recording'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFile } from '../../../../src/backtest/recording/files/appended-file.js'
import { createRecordingFile, maxBlockMs } from '../../../../src/backtest/recording/write/recording-file.js'
import { caseCount } from '../../../support/run/long.js'
import { newFile } from '../../../cli/support/new-file.js'
import { collect, header, priceRow, recordingText, summary$, topic } from '../support/recordings.js'
import { playedRows, rowsOf } from '../support/rows.js'

const client = () => createTestClient({ prices: { [topic]: of(price(topic, 1), price(topic, 2)) } })

describe('record to a path', () => {
  it.each<[string, (bytes: Buffer) => string]>([
    ['market.ndjson', String],
    ['market.ndjson.gz', (bytes) => gunzipSync(bytes).toString()],
  ])('writes %s, which replay reads', async (name, read) => {
    const to = newFile(name)
    const recorder = record(client(), { topics: [topic], to })
    expect(await recorder.finished).toEqual(rowsOf(4))
    expect(read(readFileSync(to)).split('\n')).toHaveLength(6)
    expect(await collect(summary$(replay(to, { speed: Infinity })))).toEqual(['1', '2'])
  })

  it('writes each row before it continues', async () => {
    const to = newFile('market.ndjson')
    const recorder = record(createTestClient({ prices: { [topic]: NEVER } }), { topics: [topic], to })
    expect(readFileSync(to, 'utf8').split('\n')).toHaveLength(3)
    await recorder.stop()
  })

  it('is a WriteError when another program has cut the file, and writes at its end', async () => {
    const to = newFile('market.ndjson')
    const prices$ = new Subject<Price>()
    const recorder = record(createTestClient({ prices: { [topic]: prices$ } }), { topics: [topic], to })
    appendFileSync(to, 'another line\n')
    prices$.next(price(topic, 1))
    expect(readFileSync(to, 'utf8')).toMatch(/another line\n\{"_tag":"Price".*\n$/)
    truncateSync(to)
    prices$.next(price(topic, 2))
    expect(await recorder.finished).toMatchObject({
      left: {
        _tag: 'WriteError',
        message: expect.stringMatching(/another program has cut the file/) as string,
      },
    })
    expect(readFileSync(to, 'utf8')).toBe('')
  })

  it('is a WriteError when another program has deleted the file', async () => {
    const to = newFile('market.ndjson')
    const prices$ = new Subject<Price>()
    const recorder = record(createTestClient({ prices: { [topic]: prices$ } }), { topics: [topic], to })
    rmSync(to)
    prices$.next(price(topic, 1))
    expect(await recorder.finished).toMatchObject({
      left: {
        _tag: 'WriteError',
        message: expect.stringMatching(/another program has deleted the file/) as string,
      },
    })
  })

  it('does not overwrite a file: it is a WriteError', async () => {
    const to = newFile('market.ndjson', 'precious')
    expect(await record(client(), { topics: [topic], to }).finished).toMatchObject({
      left: { _tag: 'WriteError', cause: { code: 'EEXIST' } },
    })
    expect(readFileSync(to, 'utf8')).toBe('precious')
  })

  it('is a WriteError in a folder that does not exist', async () => {
    const recorder = record(client(), { topics: [topic], to: '/no/such/folder/market.ndjson' })
    expect(await recorder.finished).toMatchObject({ left: { _tag: 'WriteError', cause: { code: 'ENOENT' } } })
    expect(recorder.rows).toBe(0)
  })
})

it.each([
  ['market.ndjson', String],
  ['market.ndjson.gz', (bytes: Buffer) => String(gunzipSync(bytes))],
])('removes the part of a line for which the disk has no space: %s is complete', (name, read) => {
  const path = newFile(name)
  let isFull = false
  const file = createRecordingFile(path, undefined, (created) => {
    const onDisk = createFile(created)
    return {
      get size() {
        return onDisk.size
      },
      append: (bytes) => {
        if (isFull && bytes.length > trailerLength) throw new Error('no space left')
        onDisk.append(bytes)
      },
      cut: (size) => onDisk.cut(size),
      close: () => onDisk.close(),
    }
  })
  const written: string[] = []
  const writeLine = (line: string) => file.write(line, () => written.push(line))
  const first = `${'first'.repeat(20_000)}\n`
  writeLine(first)
  isFull = true
  expect(() => writeLine(`${'second'.repeat(20_000)}\n`)).toThrow('no space left')
  expect(() => file.close()).toThrow('no space left')
  expect(written).toEqual([first])
  expect(read(readFileSync(path))).toBe(first)
})

/** Of a gzip file, in bytes. */
const trailerLength = 10

describe('a compressed recording', () => {
  const write = (
    file: { readonly write: (line: string, done: (error?: Error | null) => void) => unknown },
    line: string,
  ) => {
    let result: unknown = 'pending'
    file.write(line, (error) => (result = error))
    expect(result).toBeUndefined()
  }

  it('is a complete gzip file 2 s after each line, and at its end, whatever the lines', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary', maxLength: 300 }),
            fc.string({ minLength: 3000, maxLength: 9000 }),
          ),
          { maxLength: 12 },
        ),
        (lines) => {
          const path = newFile('market')
          const file = createRecordingFile(path, true)
          let text = ''
          for (const line of lines) {
            write(file, `${line}\n`)
            text += `${line}\n`
            if (line.length % 3 > 0) continue
            vi.advanceTimersByTime(maxBlockMs)
            expect(gunzipSync(readFileSync(path)).equals(Buffer.from(text))).toBe(true)
            expect(file.bytes).toBe(statSync(path).size)
          }
          file.close()
          expect(text === '' || gunzipSync(readFileSync(path)).equals(Buffer.from(text))).toBe(true)
        },
      ),
      { numRuns: caseCount(100) },
    )
  })

  it('has its header at once', () => {
    const path = newFile('market.gz')
    const file = createRecordingFile(path)
    onTestFinished(() => file.close())
    write(file, recordingText(header))
    expect(String(gunzipSync(readFileSync(path)))).toBe(recordingText(header))
  })

  it('has at most a tenth of the size of its text', () => {
    const text = recordingText(
      header,
      ...Array.from({ length: 500 }, (_, n) => priceRow(n * 37, 2500 + (n % 17) / 8)),
    )
    const file = createRecordingFile(newFile('market.gz'))
    for (const line of text.split('\n').slice(0, -1)) write(file, `${line}\n`)
    file.close()
    expect(file.bytes).toBeLessThan(text.length / 10)
  })

  it('can be appended to another', async () => {
    const [one, two] = [newFile('one.gz'), newFile('two.gz')]
    await record(client(), { topics: [topic], to: one }).finished
    await record(client(), { topics: [topic], to: two }).finished
    const both = newFile('both.gz')
    writeFileSync(both, Buffer.concat([readFileSync(one), readFileSync(two)]))
    const replayed = replay(both, { speed: Infinity })
    await collect(replayed.run$(() => NEVER))
    expect(await replayed.finished).toEqual(playedRows(8))
  })
})
