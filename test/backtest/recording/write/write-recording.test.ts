import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { from, NEVER, startWith, throwError } from 'rxjs'
import { defineTokens, type Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { record, replay, writeRecording, type OwnRow } from 'svc-streams/recording'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../support/run/long.js'
import { newFile } from '../../../cli/support/new-file.js'
import { chunksOf, collect, summary$ } from '../support/recordings.js'
import { memoryWriter, rightOf, rowsOf } from '../support/rows.js'

const tokens = defineTokens({
  WETH: { address: '0xab', decimals: 18 },
  USDC: { address: '0xCD', decimals: 6 },
})
const { WETH, USDC } = tokens
const start = Date.UTC(2026, 0, 2)

const prices = (count: number, topic: Topic = WETH.topic): OwnRow[] =>
  Array.from({ length: count }, (_, index) => ({ at: start + index, topic, price: index + 1 }))

async function* asyncOf(rows: readonly OwnRow[]): AsyncGenerator<OwnRow> {
  for (const row of rows) yield await Promise.resolve(row)
}

/** The text of the recording of rows. */
const textOf = async (rows: readonly OwnRow[]): Promise<string> => {
  const to = memoryWriter()
  expect(await writeRecording(rows, to, { tokens })()).toEqual(rowsOf(rows.length))
  return to.text()
}

/** The recorded rows, without their envelope. */
const readRows = (text: string): readonly OwnRow[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"_tag":"Recording"'))
    .map((line) => {
      const { _tag, at, event } = JSON.parse(line) as {
        _tag: string
        at: number
        event: { right: Record<string, unknown> }
      }
      const {
        topic,
        mint,
        price: usd,
        buy,
        sell,
        receivedAt,
        timestamp = at,
      } = event.right as never as {
        topic: Topic
        mint: `0x${string}`
        price: number
        buy: { totalQuantity: string }
        sell: { totalQuantity: string }
        receivedAt: number
        timestamp?: number
      }
      expect([receivedAt, timestamp]).toEqual([at, at])
      if (_tag === 'Price') return { at, topic, price: usd }
      return { at, mint, price: usd, buy: BigInt(buy.totalQuantity), sell: BigInt(sell.totalQuantity) }
    })

const finiteAbove0 = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true })

/** Rows in the order of their times, some in the same ms. */
const ownRows = fc
  .array(
    fc.record({
      wait: fc.nat({ max: 10_000 }),
      isPrice: fc.boolean(),
      isFirst: fc.boolean(),
      price: finiteAbove0,
      buy: fc.bigInt({ min: 0n, max: 10n ** 30n }),
      sell: fc.bigInt({ min: 0n, max: 10n ** 30n }),
      isPlain: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((steps) => {
    let at = start
    return steps.map(({ wait, isPrice, isFirst, price: usd, buy, sell, isPlain }): OwnRow => {
      at += wait
      const token = isFirst ? WETH : USDC
      if (isPrice) return { at, topic: token.topic, price: usd }
      return { at, mint: token.address, price: isPlain ? 1.5 : Math.min(usd, 1e200), buy, sell }
    })
  })

describe('writeRecording', () => {
  it('writes the rows exactly, in each form of a source', async () => {
    await fc.assert(
      fc.asyncProperty(ownRows, async (rows) => {
        const text = await textOf(rows)
        expect(readRows(text)).toEqual(rows)
        for (const source of [asyncOf(rows), from(rows)]) {
          const to = memoryWriter()
          expect(await writeRecording(source, to, { tokens })()).toEqual(rowsOf(rows.length))
          expect(to.text()).toBe(text)
        }
      }),
      { numRuns: caseCount(1000) },
    )
  })

  it('gives the prices of the same market recorded', async () => {
    const rows = prices(20)
    const recorded = memoryWriter()
    const live$ = from(rows.map((row) => right(price(WETH.topic, row.price, { receivedAt: row.at }))))
    await record(createTestClient({ prices: { [WETH.topic]: live$ } }), {
      topics: [WETH.topic],
      to: recorded,
    }).finished
    const pricesOf = (text: string) =>
      collect(summary$(replay(chunksOf(text), { speed: Infinity }), WETH.topic))
    expect(await pricesOf(await textOf(rows))).toEqual(await pricesOf(recorded.text()))
  })

  it.each<[string, (bytes: Buffer) => string]>([
    ['market.ndjson', String],
    ['market.ndjson.gz', (bytes) => gunzipSync(bytes).toString()],
  ])('writes %s, and nothing beside it', async (name, read) => {
    const to = newFile(name)
    const rows = [...prices(30_000), ...prices(1, USDC.topic).map((row) => ({ ...row, at: start + 30_000 }))]
    expect(await writeRecording(rows, to)()).toEqual(rowsOf(30_001))
    expect(readdirSync(dirname(to))).toEqual([name])
    expect(readRows(read(readFileSync(to)))).toEqual(rows)
  })

  it('names the topics and mints in its header; a later one begins a header that continues it', async () => {
    const late = { at: start + 20_000, topic: USDC.topic, price: 1 }
    const text = await textOf([...prices(2, USDC.topic).slice(0, 1), ...prices(20_000), late])
    const headers = text.split('\n').filter((line) => line.includes('"_tag":"Recording"'))
    expect(headers.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ at: start, topics: [USDC.topic, WETH.topic], mints: [] }),
    ])
    const lateText = await textOf([...prices(20_000), late])
    const client = replay(chunksOf(lateText), { speed: Infinity })
    const values = await collect(client.run$((inner) => summary$(inner, WETH.topic)))
    expect(values).toHaveLength(20_000)
    expect(values).not.toContain('Disconnected')
    expect(lateText.match(/"continues":/g)).toHaveLength(1)
  })

  it('is read by a history', async () => {
    const to = newFile('market.ndjson')
    await writeRecording(prices(3), to)()
    const events = await collect(openHistory([to]).prices$(WETH.topic, { from: start, to: start + 3 }))
    expect(events.map(rightOf).slice(0, 3)).toMatchObject(
      [1, 2, 3].map((value) => ({ _tag: 'PastPrice', price: value })),
    )
  })

  const depth = { at: start, mint: WETH.address, price: 2, buy: 10n ** 18n, sell: 3n * 10n ** 18n }

  it('values a depth in USD by the decimals of its token', async () => {
    const text = await textOf([depth, { ...depth, mint: '0xcd', buy: 1_000_000n, sell: 0n }])
    expect(text).toContain('"buy":{"totalQuantity":"1000000000000000000","totalQuantityUsd":2}')
    expect(text).toContain('"buy":{"totalQuantity":"1000000","totalQuantityUsd":2}')
  })

  it.each<[string, unknown, RegExp]>([
    ['earlier than its predecessor', { at: start - 1, topic: WETH.topic, price: 1 }, /at: .* previous row/],
    ['a year later', { at: start + 366 * 86_400_000, topic: WETH.topic, price: 1 }, /at most 365 days/],
    ['at a time in seconds', { at: start / 1000, topic: WETH.topic, price: 1 }, /which looks like seconds/],
    ['at a time in µs', { at: start * 1000, topic: WETH.topic, price: 1 }, /which looks like microseconds/],
    ['before 2000', { at: Date.UTC(1999, 11, 31), topic: WETH.topic, price: 1 }, /at: expected ms/],
    ['after 2099', { at: Date.UTC(2100, 0), topic: WETH.topic, price: 1 }, /at: expected ms/],
    ['without a time', { topic: WETH.topic, price: 1 }, /at: expected ms/],
    ['with a price of 0', { at: start, topic: WETH.topic, price: 0 }, /price: .* above 0, got 0/],
    ['with a price as text', { at: start, topic: WETH.topic, price: '1' }, /price: .*"1"/],
    ['with a price that is not finite', { at: start, topic: WETH.topic, price: Infinity }, /price: /],
    ['with an invalid topic', { at: start, topic: 'ETH', price: 1 }, /topic: .*"ETH"/],
    ['with an unknown mint', { ...depth, mint: '0xef' }, /mint: 0xef is not in tokens/],
    ['with an invalid mint', { ...depth, mint: 'WETH' }, /mint: expected 0x/],
    ['with a negative quantity', { ...depth, sell: -1n }, /sell: expected a bigint of at least 0n, got -1n/],
    ['with a quantity that is no bigint', { ...depth, buy: 1 }, /buy: expected a bigint/],
    ['that is no object', null, /expected an object/],
  ])('ends with the number of a row %s, and there is no file', async (_, row, problem) => {
    const to = newFile('market.ndjson')
    const rows = [{ at: start, topic: WETH.topic, price: 1 }, row as OwnRow]
    const result = await writeRecording(rows, to, { tokens })()
    expect(result).toMatchObject({ left: { _tag: 'WriteError', row: 2 } })
    expect(result).toMatchObject({ left: { message: expect.stringMatching(problem) as string } })
    expect(readdirSync(dirname(to))).toEqual([])
  })

  it('ends with a WriteError without a row if the source fails, or the path exists', async () => {
    const to = newFile('market.ndjson')
    const failing$ = throwError(() => new Error('no database')).pipe(startWith(...prices(1)))
    for (const rows of [failing$, failingRows()]) {
      const result = await writeRecording(rows, to)()
      expect(result).toEqual(left(expect.objectContaining({ message: 'write failed: no database' })))
      expect(result).not.toHaveProperty('left.row')
      expect(existsSync(to)).toBe(false)
    }
    const existing = newFile('market.ndjson', 'precious')
    const result = await writeRecording(prices(1), existing)()
    expect(result).toMatchObject({ left: { cause: { code: 'EEXIST' } } })
    expect(readFileSync(existing, 'utf8')).toBe('precious')
  })

  it('unsubscribes from an observable after an invalid row', async () => {
    const rows$ = NEVER.pipe(startWith(...prices(1), { at: 0, topic: WETH.topic, price: 1 }))
    expect(await writeRecording(rows$, memoryWriter())()).toMatchObject({ left: { row: 2 } })
  })

  it('reads an iterable no faster than a writable confirms the lines', async () => {
    let read = 0
    let mostUnconfirmed = 0
    let confirmed = 0
    function* counted(): Generator<OwnRow> {
      for (const row of prices(30_000)) {
        read++
        if (read > 10_000) mostUnconfirmed = Math.max(mostUnconfirmed, read - confirmed)
        yield row
      }
    }
    const waiting: (() => void)[] = []
    const to = {
      write: (_: string, done: () => void) => {
        if (waiting.push(done) > 1) return
        setImmediate(() => {
          confirmed += waiting.length
          for (const each of waiting.splice(0)) each()
        })
      },
    }
    expect(await writeRecording(counted(), to)()).toEqual(rowsOf(30_000))
    expect(mostUnconfirmed).toBeLessThan(12_000)
  })

  it('throws for an invalid argument and a misspelt option', () => {
    expect(() => writeRecording(1 as never, 'market.ndjson')).toThrow('rows: expected an iterable')
    expect(() => writeRecording([], '')).toThrow('to: expected a path')
    expect(() => writeRecording([], 'market.ndjson', { token: tokens } as never)).toThrow(
      'did you mean tokens?',
    )
    expect(() => writeRecording([], 'market.ndjson', { tokens: { WETH: 18 } as never })).toThrow(
      'tokens: expected',
    )
  })

  it('writes a recording without rows', async () => {
    const text = await textOf([])
    expect(isRight(await replay(chunksOf(text), { speed: Infinity }).finished)).toBe(true)
  })
})

function* failingRows(): Generator<OwnRow> {
  yield* prices(1)
  throw new Error('no database')
}
