import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { of } from 'rxjs'
import type { Address, Price, Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { record, replay } from 'svc-streams/recording'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { decodeRow, encodeLine, encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { runInProcess } from '../../cli/support/in-process.js'
import { newFile } from '../../cli/support/new-file.js'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { runSweep } from '../sweep/support/run-sweep.js'
import { caseCount } from '../../support/run/long.js'
import { newFolder } from '../../support/new-folder.js'
import { depth, price, row } from './support/generated-rows.js'
import { chunksOf, collect, header, priceRow, recordingText, start, topic } from './support/recordings.js'
import { memoryWriter } from './support/rows.js'

// One definition of a valid row: what one reader accepts, every reader accepts, and every writer writes.

type Json = Record<string, unknown>

/** Values at and beyond the borders of the fields of a row. */
const borderValues: readonly unknown[] = [
  ...[0, -1, 1, 1.5, -0.5, 1e-7, 5e-324, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1, 2 ** 53, -(2 ** 53)],
  ...[8.64e15, 8.64e15 + 1, 1e20, 1e21, 1e300, start / 1000, start * 1000, start + 0.25],
  ...[
    '',
    'x',
    '0',
    '1',
    '1.5',
    '1e3',
    '-0',
    'NaN',
    'Infinity',
    '-Infinity',
    'svc-0xab',
    '0xab',
    topic,
    '\u202e',
  ],
  ...[null, true, [], {}, [1], '9'.repeat(60), 'f'.repeat(5000)],
]

/** The row as an object of JSON, with a value in place of one of its fields. Without a value, the field is missing. */
const changed = (written: Row, field: number, value: unknown): Json => {
  const json = JSON.parse(encodeRow(written)) as Json
  const fields: (readonly [Json, string])[] = []
  const collectFields = (object: Json): void => {
    for (const [name, inner] of Object.entries(object)) {
      fields.push([object, name])
      if (typeof inner === 'object' && inner !== null) collectFields(inner as Json)
    }
  }
  collectFields(json)
  const [object, name] = fields[field % fields.length]!
  object[name] = value
  return json
}

const at = fc.constantFrom(start + 1, start + 1.5)

const changedRow = fc
  .tuple(fc.oneof(row, valueRow(price, 'Price'), valueRow(depth, 'Depth')), at)
  .chain(([written, time]) =>
    fc
      .tuple(fc.nat(), fc.constantFrom(undefined, ...borderValues))
      .map(([field, value]) => changed({ ...written, at: time }, field, value)),
  )

/** A row with a value. */
function valueRow(value: fc.Arbitrary<{ topic?: Topic; mint?: Address }>, tag: 'Price' | 'Depth') {
  return value.map(
    (right) =>
      ({
        _tag: tag,
        at: start,
        ...(tag === 'Price' ? { topic: right.topic } : { mint: right.mint }),
        event: { _tag: 'Right', right },
      }) as unknown as Row,
  )
}

const fileWith = (line: string): string =>
  newFile(
    'market.ndjson',
    `${recordingText(header, priceRow(0, 1))}${line}\n${recordingText(priceRow(2, 2))}`,
  )

/** The error of each reader of a file; `undefined` if it accepts all rows. */
const readers: Readonly<Record<string, (file: string) => Promise<string | undefined>>> = {
  replay: async (file) => {
    const client = replay(file, { speed: Infinity })
    await collect(client.run$((inner) => inner.price$(topic)))
    const finished = await client.finished
    return isLeft(finished) ? finished.left.message : undefined
  },
  openHistory: async (file) => {
    const range = { from: -8e15, to: 9.9e13 }
    const last = (await collect(openHistory([file]).prices$(topic, range))).at(-1)
    return last !== undefined && isLeft(last) ? last.left.message : undefined
  },
  inspect: async (file) => {
    const { code, stderr } = await runInProcess(['inspect', file])
    return code === 0 ? undefined : stderr
  },
  export: async (file) => {
    const out = file.replace('market.ndjson', 'out.parquet')
    const { code, stderr } = await runInProcess(['export', file, '--out', out])
    return code === 0 ? undefined : stderr
  },
}

const place = /line 3 of \S+market\.ndjson: (?:\S+: )?expected .*, got /

describe('a row', () => {
  it('is accepted by all readers, or refused by all with its file and line', async () => {
    let accepted = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(changedRow, async (json) => {
        const line = JSON.stringify(json)
        const file = fileWith(line)
        const isValid = (await readers['replay']!(file)) === undefined
        if (isValid) accepted++
        else refused++
        for (const [name, read] of Object.entries(readers)) {
          const error = await read(file)
          if (isValid) expect([name, line, error]).toEqual([name, line, undefined])
          else expect([name, line, error]).toEqual([name, line, expect.stringMatching(place)])
        }
      }),
      { numRuns: caseCount(1_000) },
    )
    expect(Math.min(accepted, refused)).toBeGreaterThan(5)
  })

  it.each([
    ['an epoch of 2^31', { epoch: 2 ** 31 }, true],
    ['an epoch of 2^53', { epoch: 2 ** 53 }, false],
    ['an epoch with a fraction', { epoch: 1.5 }, false],
    ['a negative epoch', { epoch: -1 }, false],
    ['a time of 2^53', { receivedAt: 2 ** 53 }, false],
  ])('with %s is the same for a sweep as for the other readers', async (_, fields, isValid) => {
    const line = encodeRow(priceRow(1, 1)).replace(
      /"right":(\{.*?\})/,
      (_match, value: string) => `"right":${JSON.stringify({ ...(JSON.parse(value) as Json), ...fields })}`,
    )
    const file = fileWith(line)
    const [swept] = await collect(runSweep(file, [{ kind: 'prices' }], { workers: 1 }))
    const error = swept !== undefined && isLeft(swept) ? swept.left.message : undefined
    const matcher: unknown = isValid ? undefined : expect.stringMatching(place)
    expect(error).toEqual(matcher)
    for (const read of Object.values(readers)) expect(await read(file)).toEqual(matcher)
  })
})

describe('a writer', () => {
  const number = fc.constantFrom(...borderValues.filter((value) => typeof value === 'number'), NaN, Infinity)
  const name = fc.constantFrom<string>(topic, 'svc-0xAB', '0xab', 'svc-0xxy', 'a"b-0xab', 'a\u202eb-0xab', '')

  it('writes a line that readers accept, or throws', () => {
    fc.assert(
      fc.property(
        fc.record({ at: number, topic: name, inner: name, price: number, receivedAt: number, epoch: number }),
        row,
        fc.boolean(),
        ({ at: time, topic: outer, inner, ...numbers }, other, isPrice) => {
          const event = { _tag: 'Right', right: { topic: inner, ...numbers } }
          const priced = { _tag: 'Price', at: time, topic: outer, event } as unknown as Row
          const written = isPrice ? priced : { ...other, at: time }
          const text = encodeRow(written)
          const line = (): string => encodeLine(written)
          if (isRight(decodeRow(text))) expect(line()).toBe(`${text}\n`)
          else expect(line).toThrow('no reader accepts this row')
        },
      ),
      { numRuns: caseCount(50_000) },
    )
  })

  /** A client of a caller's own, which emits a valid price and then another one. */
  const clientOf = (epoch: number) => {
    const first = { topic, price: 1, receivedAt: start, epoch: 1 }
    return createTestClient({ prices: { [topic]: of<Price[]>(first, { ...first, epoch }) } })
  }
  const problem = 'event.right.epoch: expected an integer of at least 0, below 2^53, got 1.5'

  it('`record` ends with an error that names the field, and what it has written can be read', async () => {
    const to = memoryWriter()
    const recorder = record(clientOf(1.5), { topics: [topic], to })
    expect(await recorder.finished).toEqual(
      left(
        expect.objectContaining({ _tag: 'WriteError', message: expect.stringContaining(problem) as string }),
      ),
    )
    const client = replay(chunksOf(to.text()), { speed: Infinity })
    await collect(client.run$((inner) => inner.price$(topic)))
    expect(isRight(await client.finished)).toBe(true)
  })

  it('the history of a gateway has an error that names the field, and what it has written can be read', async () => {
    const folder = newFolder()
    const history = { folder, keep: Infinity, topics: [topic] }
    const gateway = await startTestGateway(clientOf(1.5), { history })
    expect(gateway.inspect().history?.failure?.message).toContain(problem)
    const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson'))
    const written = openHistory(files.map((file) => join(folder, file)))
    expect((await collect(written.prices$(topic, { from: 0 }))).filter(isLeft)).toEqual([])
  })
})
