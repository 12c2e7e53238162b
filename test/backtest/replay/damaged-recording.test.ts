import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { merge, NEVER, take } from 'rxjs'
import { renderError } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../cli/support/new-file.js'
import { caseCount } from '../../support/run/long.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import {
  chunksOf,
  collect,
  down,
  errorRow,
  header,
  other,
  priceRow,
  recordingText,
  prices$,
  summary$,
  topic,
} from '../recording/support/recordings.js'

describe('the replay of a damaged recording', () => {
  const validRows = [priceRow(1, 1), priceRow(2, 2)]
  const validText = recordingText(header, ...validRows)

  it.each<[string, string, number, RegExp]>([
    ['that is truncated', validText.slice(0, -20), 3, /^line 3 of the recording: expected JSON/],
    [
      'with a line that is not JSON',
      `${validText}{"at":}\n${recordingText(priceRow(3, 3))}`,
      4,
      /line 4.*expected JSON/,
    ],
    [
      'with an unknown row',
      `${validText}{"_tag":"Trade","at":1}\n`,
      4,
      /line 4 of the recording: expected a row of a recording, got an object/,
    ],
    [
      'with an invalid price',
      `${validText}${recordingText(priceRow(3, -1))}`,
      4,
      /price: expected a finite number above 0/,
    ],
    [
      'without a header',
      recordingText(...validRows),
      1,
      /line 1 of the recording: _tag: expected "Recording", got "Price"/,
    ],
    ['of a later version', validText.replace('"version":1', '"version":2'), 1, /version: expected 1, got 2/],
    ['that is empty', '', 1, /the recording is empty: no header was written/],
    ['that is another file format', '\u0000\u0001PNG', 1, /line 1 of the recording: expected JSON/],
  ])(
    'emits all rows before the damage, then an error that names the line: a recording %s',
    async (_, text, line, message) => {
      const client = replay(chunksOf(text), { speed: Infinity })
      const events = await collect(client.price$(topic))
      const before = line === 1 ? [] : line === 3 ? validRows.slice(0, 1) : validRows
      expect(events.slice(0, -1)).toEqual(before.map((row) => row._tag === 'Price' && row.event))
      expect(events.at(-1)).toMatchObject({ left: { _tag: 'DecodeError' } })
      const result = await client.finished
      expect(result).toMatchObject({ left: { _tag: 'RecordingError', line } })
      expect(result._tag === 'Left' && result.left.message).toMatch(message)
      expect(result._tag === 'Left' && renderError(result.left)).toMatch(
        /^RecordingError: (?:line|the recording is empty)/,
      )
      // A later subscriber receives the error too.
      expect(await collect(client.price$(other))).toMatchObject([{ left: { _tag: 'DecodeError' } }])
    },
  )

  it('emits the error inside run$ when the header is missing', async () => {
    const client = replay(chunksOf('nonsense'), { speed: Infinity })
    expect(await collect(client.run$((inside) => summary$(inside)))).toEqual(['DecodeError'])
  })

  it('emits the error when the file does not exist', async () => {
    const client = replay('/no/such/file.ndjson', { speed: Infinity })
    expect(await collect(client.price$(topic))).toMatchObject([{ left: { _tag: 'DecodeError' } }])
    expect(await client.finished).toMatchObject({
      left: {
        line: 1,
        message: '/no/such/file.ndjson does not exist (ENOENT)',
        issues: [{ actual: expect.stringMatching(/ENOENT/) as string }],
      },
    })
  })

  it('emits the error when the source throws a value that has no text', async () => {
    async function* failing() {
      yield await Promise.resolve(validText)
      throw Object.create(null)
    }
    const client = replay(failing(), { speed: Infinity })
    expect(await collect(summary$(client))).toEqual(['1', '2', 'DecodeError'])
    expect(await client.finished).toMatchObject({ left: { line: 4 } })
  })

  it('emits the error when the source fails during reading', async () => {
    async function* failing() {
      yield await Promise.resolve(validText)
      throw new Error('read failed')
    }
    const client = replay(failing(), { speed: Infinity })
    expect(await collect(summary$(client))).toEqual(['1', '2', 'DecodeError'])
    expect(await client.finished).toMatchObject({ left: { line: 4 } })
  })

  it.each<[string, () => unknown, string]>([
    ['undefined', () => undefined, 'undefined'],
    ['an object without a prototype', () => Object.create(null) as unknown, 'a value of type object'],
    ['an error with a number as its message', () => Object.assign(new Error(), { message: 5 }), '5'],
    [
      'an error whose message throws',
      () =>
        Object.defineProperty(new Error(), 'message', {
          get: () => {
            throw new Error('mine')
          },
        }),
      'the error cannot be read',
    ],
  ])('emits the error when the source throws %s', async (_, thrown, message) => {
    function* failing() {
      yield validText
      throw thrown()
    }
    const client = replay(failing(), { speed: Infinity })
    expect(await collect(summary$(client))).toEqual(['1', '2', 'DecodeError'])
    expect(await client.finished).toMatchObject({ left: { line: 4, issues: [{ actual: message }] } })
  })

  it('stops reading a line that is too long', async () => {
    let chunks = 0
    function* endless() {
      for (;;) {
        chunks++
        yield 'x'.repeat(2 ** 16)
      }
    }
    const client = replay(endless(), { speed: Infinity })
    expect(await collect(summary$(client))).toEqual(['DecodeError'])
    expect(chunks).toBeLessThan(100)
  })

  it('rejects a line that is too long, whatever the chunks of the source', async () => {
    const long = recordingText({ ...header, at: header.at + 5 })
      .trimEnd()
      .padEnd(2 ** 22 + 1)
    for (const chunks of [
      [`${validText}${long}\n`],
      [validText, long, `\n${recordingText(priceRow(9, 9))}`],
    ]) {
      const client = replay(chunksOf<string | Uint8Array>(...chunks), { speed: Infinity })
      expect(await collect(summary$(client))).toEqual(['1', '2', 'DecodeError'])
      expect(await client.finished).toMatchObject({
        left: {
          line: 4,
          message: expect.stringMatching(/line of at most 4194304 bytes, got more/) as string,
        },
      })
    }
  })

  it.each<[string, Iterable<string>]>([
    [
      'empty chunks',
      (function* () {
        for (;;) yield ''
      })(),
    ],
    [
      'empty lines',
      (function* () {
        for (;;) yield '\n'
      })(),
    ],
  ])('does not block the event loop for a source of %s, and stops reading on close()', async (_, endless) => {
    let closed = false
    function* source() {
      try {
        yield validText
        yield* endless
      } finally {
        closed = true
      }
    }
    const client = replay(source(), { speed: Infinity })
    expect(await collect(summary$(client).pipe(take(2)))).toEqual(['1', '2'])
    await nextTurn()
    await client.close()
    await eventually(() => closed)
  })

  it('accepts a byte order mark at the start of each file', async () => {
    const second = recordingText({ ...header, at: header.at + 5 }, priceRow(6, 3))
    const client = replay(chunksOf(`\uFEFF${validText}\uFEFF${second}`), { speed: Infinity })
    expect(await collect(prices$(client))).toEqual([1, 2, 3])
  })

  it('accepts empty lines, CRLF, and a last line without a line end', async () => {
    const text = `${validText.replaceAll('\n', '\r\n')}\r\n\r\n${recordingText(priceRow(3, 3)).trimEnd()}`
    expect(await collect(summary$(replay(chunksOf(text), { speed: Infinity })))).toEqual(['1', '2', '3'])
  })

  it('does not depend on the chunk boundaries of the source', async () => {
    const text = recordingText(
      header,
      priceRow(1, 1),
      errorRow(2, { ...down, reason: 'größer 🐻' }),
      priceRow(3, 3),
    )
    const expected = await collect(replay(chunksOf(text), { speed: Infinity }).price$(topic))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }), async (sizes) => {
        const bytes = Buffer.from(text)
        const chunks: Uint8Array[] = []
        let from = 0
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size))
          from += size
        }
        chunks.push(bytes.subarray(from))
        expect(
          await collect(replay(chunksOf<string | Uint8Array>(...chunks), { speed: Infinity }).price$(topic)),
        ).toEqual(expected)
      }),
    )
  })

  it('emits a prefix of the recording, whichever byte is changed, removed or last', async () => {
    const rows = Array.from({ length: 10 }, (_, n) => priceRow(n, n + 1))
    const text = recordingText(header, ...rows)
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.nat(255), fc.nat(2), async (at, byte, how) => {
        const bytes = [...Buffer.from(text)]
        if (how === 0) bytes[at] = byte
        else if (how === 1) bytes.splice(at, 1)
        else bytes.length = at
        const client = replay(chunksOf(Uint8Array.from(bytes)), { speed: Infinity })
        // NEVER keeps the subscription until the end of the recording, even if the topic completes.
        const seen = await collect(client.run$((inside) => merge(inside.price$(topic), NEVER)))
        const result = await client.finished
        if (result._tag === 'Left') {
          // A byte that becomes a line end may add an empty line, which counts and has no row.
          const linesBefore = Buffer.from(bytes)
            .toString()
            .split('\n')
            .slice(0, result.left.line - 1)
          const rowsBefore = Math.max(0, linesBefore.filter((line) => line.trim() !== '').length - 1)
          expect(rowsBefore).toBeLessThan(rows.length)
          expect(seen.slice(0, -1)).toEqual(
            rows.slice(0, rowsBefore).map((row) => row._tag === 'Price' && row.event),
          )
        }
      }),
      { numRuns: caseCount(5000) },
    )
  })

  it('reads a file by its path or URL', async () => {
    const path = newFile('market.ndjson', validText)
    expect(await collect(summary$(replay(path, { speed: Infinity })))).toEqual(['1', '2'])
    expect(await collect(summary$(replay(pathToFileURL(path), { speed: 1000 })))).toEqual(['1', '2'])
  })
})
