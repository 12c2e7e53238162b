import fc from 'fast-check'
import { asyncScheduler, map, merge } from 'rxjs'
import type { Topic } from 'svc-streams'
import { freshWithin } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { caseCount } from '../../support/run/long.js'
import { chunked } from '../recording/support/bytes.js'
import {
  chunksOf,
  down,
  errorRow,
  header,
  mint,
  other,
  priceRow,
  start,
  topic,
} from '../recording/support/recordings.js'

/** Rows of two topics, of which many have the same time and some an earlier one. */
const row = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.nat(40), fc.constantFrom<Topic>(topic, other, 'svc-0xEF')) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(40), fc.constant('error' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(40), fc.constant('header' as const)) },
)

const lineOf = ([ms, kind]: readonly [number, Topic | 'error' | 'header'], index: number): string => {
  if (kind === 'header') return encodeRow({ ...header, at: start + ms })
  return encodeRow(kind === 'error' ? errorRow(ms, down) : priceRow(ms, index + 1.25, kind))
}

/** The same line in another layout, which takes the slow path. */
const spaced = (line: string): string => line.replace(/^\{/, '{ ')

/** What a strategy observes: each event, with its virtual time, and the result of the replay. */
const observed = async (
  lines: readonly string[],
  lengths: readonly number[],
  from?: number,
): Promise<unknown> => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const client = replay(chunksOf(...chunked(bytes, lengths)), {
    speed: Infinity,
    ...(from !== undefined && { from: start + from }),
  })
  const events: unknown[] = []
  await new Promise<void>((resolve) => {
    client
      .run$(({ price$, depth$, status$ }) =>
        merge(
          price$(topic).pipe(freshWithin(5)),
          price$(other),
          price$('svc-0xef').pipe(freshWithin(20)),
          depth$(mint, 100),
          status$,
        ).pipe(map((event) => [asyncScheduler.now(), event])),
      )
      .subscribe({ next: (event) => events.push(event), complete: resolve })
  })
  return [events, await client.finished]
}

const texts: ReadonlySet<string> = new Set(['input', 'actual', 'message'])

/** Without the texts of an error, which differ in the layout and in positions. */
const withoutTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each: unknown) => (texts.has(key) ? undefined : each)))

describe('a recording as record writes it', () => {
  it('replays like one in another layout, in time, order and errors', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.array(fc.nat(300)),
        fc.constantFrom(0, 15),
        async (rows, lengths, from) => {
          const lines = [encodeRow(header), ...rows.map(lineOf)]
          const fast = await observed(lines, lengths, from)
          expect(fast).toEqual(await observed(lines.map(spaced), [], from))
        },
      ),
      { numRuns: caseCount(1000) },
    )
  })

  it('replays like one in another layout if a line is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 3, maxLength: 20 }),
        fc.nat(),
        fc.nat(),
        fc.constantFrom('', '"', '}', '9', ',', 'x', '\n'),
        async (rows, line, offset, replacement) => {
          const lines = [encodeRow(header), ...rows.map(lineOf)]
          const index = 1 + (line % rows.length)
          const text = lines[index] ?? ''
          const at = 1 + (offset % (text.length - 1))
          lines[index] = text.slice(0, at) + replacement + text.slice(at + 1)
          const fast = await observed(lines, [])
          expect(withoutTexts(fast)).toEqual(withoutTexts(await observed(lines.map(spaced), [])))
        },
      ),
      { numRuns: caseCount(1000) },
    )
  })
})
