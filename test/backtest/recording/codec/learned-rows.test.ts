import fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { createDepthSide } from '../../../../src/wire/codec/depth.js'
import { LearnedRows } from '../../../../src/backtest/recording/codec/learned-rows.js'
import { decodeRow, encodeRow } from '../../../../src/backtest/recording/codec/row-codec.js'
import type { DepthRow, PriceRow, Row } from '../../../../src/backtest/recording/codec/row.js'
import { depth, position, price } from '../support/generated-rows.js'
import { caseCount } from '../../../support/run/long.js'

const encoder = new TextEncoder()

const rowOf = (topic: Topic, fields: object = {}): PriceRow => ({
  _tag: 'Price',
  at: 1_700_000_000_000,
  topic,
  event: right({ topic, price: 1.5, receivedAt: 1_700_000_000_000, epoch: 1, ...fields }),
})

const learned = (...topics: readonly Topic[]): LearnedRows => {
  const rows = new LearnedRows()
  for (const topic of topics) rows.learn(encodeRow(rowOf(topic)), rowOf(topic))
  return rows
}

/** Recognises a line, which must be read up to its end. */
const recogniseIn = (rows: LearnedRows, line: string): Row | undefined => {
  const bytes = encoder.encode(`{}\n${line}\n{}`)
  const row = rows.recognise(bytes, 3)
  if (row !== undefined) expect(rows.end).toBe(bytes.length - 2)
  return row
}

const slow = (line: string): Row => {
  const row = decodeRow(line)
  if (isRight(row)) return row.right
  throw new Error(row.left.message)
}

/** The two times may be equal, or differ in length, or in their last digits. */
const lag = fc.constantFrom(0, 0, 1, 0.5, 0.0625, 1000)

const writtenRow: fc.Arbitrary<PriceRow> = fc
  .tuple(price, fc.option(position), lag, lag)
  .map(([value, at, rowLag, valueLag]) => ({
    _tag: 'Price',
    at: value.receivedAt + rowLag,
    topic: value.topic,
    event: right({ ...value, receivedAt: value.receivedAt + valueLag }),
    ...(at === null ? {} : { position: at }),
  }))

/** Without an exponent. */
const amount = fc.double({ min: 1e-6, max: 1e12, noNaN: true })

const writtenDepth: fc.Arbitrary<DepthRow> = fc
  .tuple(depth, amount, amount, amount)
  .map(([value, usd, buyUsd, sellUsd]) => ({
    _tag: 'Depth',
    at: value.receivedAt,
    mint: value.mint,
    event: right({
      ...value,
      price: usd,
      buy: createDepthSide({ ...value.buy, totalQuantityUsd: buyUsd }),
      sell: createDepthSide({ ...value.sell, totalQuantityUsd: sellUsd }),
    }),
  }))

/** Rows of each kind, with a name that is learned. */
const written: fc.Arbitrary<Row> = fc.oneof(writtenRow, writtenDepth)

const learnedFrom = (row: Row): LearnedRows => {
  const rows = learned('svc-0xab')
  rows.learn(encodeRow(row), row)
  return rows
}

/** What a byte is replaced by, or what is inserted. */
const piece = fc.constantFrom(
  '',
  ' ',
  '0',
  '9',
  '.',
  '-',
  'e5',
  '"',
  ',',
  '}',
  '{',
  ':',
  'a',
  '\\u0030',
  'é',
  '\r',
)

describe('LearnedRows', () => {
  it.each([
    ['topic', writtenRow],
    ['mint', writtenDepth],
  ])('recognises each row of a learned %s that record writes, like the slow path', (_, arbitrary) => {
    let recognised = 0
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<Row>, (row) => {
        const line = encodeRow(row)
        const found = recogniseIn(learnedFrom(row), line)
        // A number with an exponent takes the slow path.
        if (/e[+-]\d/.test(line)) return
        expect(found).toStrictEqual(slow(line))
        recognised++
      }),
      { numRuns: caseCount(5000) },
    )
    expect(recognised).toBeGreaterThan(0)
  })

  it('recognises prices of any number of digits', () => {
    const rows = learned('svc-0xab')
    for (const text of [
      '0.1',
      '3',
      '1234567.125',
      '2682.5049999999997',
      '123456789012345678',
      '0.00000123456789',
    ]) {
      const line = encodeRow(rowOf('svc-0xab')).replace('1.5', text)
      expect(recogniseIn(rows, line)).toStrictEqual(slow(line))
    }
  })

  it.each(['0', '7', '9007199254740993', '9999999999999999999', '18446744073709551616', '9'.repeat(40)])(
    'recognises the quantity %s exactly',
    (digits) => {
      const side = { totalQuantity: BigInt(digits), totalQuantityUsd: 25044.1 }
      const value = {
        mint: '0xab',
        price: 2682.5,
        timestamp: 0,
        buy: side,
        sell: side,
        receivedAt: 5,
      } as const
      const row: DepthRow = { _tag: 'Depth', at: 1, mint: '0xab', event: right(value) }
      const found = recogniseIn(learnedFrom(row), encodeRow(row))
      expect(found).toEqual(row)
      expect(JSON.stringify(found)).toBe(encodeRow(row))
    },
  )

  it.each([
    ['a quantity with a leading zero', '"totalQuantity":"07"'],
    ['a quantity without digits', '"totalQuantity":""'],
    ['a negative quantity', '"totalQuantity":"-7"'],
    ['a fractional quantity', '"totalQuantity":"7.0"'],
    ['a quantity that is a number', '"totalQuantity":7'],
  ])('does not recognise %s', (_, text) => {
    const side = { totalQuantity: 7n, totalQuantityUsd: 1 }
    const value = { mint: '0xab', price: 2682.5, timestamp: 0, buy: side, sell: side, receivedAt: 5 } as const
    const row: DepthRow = { _tag: 'Depth', at: 1, mint: '0xab', event: right(value) }
    const line = encodeRow(row).replace('"totalQuantity":"7"', text)
    expect(recogniseIn(learnedFrom(row), line)).toBeUndefined()
  })

  it('decodes a changed row like the slow path, or not at all', () => {
    fc.assert(
      fc.property(written, fc.nat(), fc.nat(3), piece, (row, offset, length, replacement) => {
        const line = encodeRow(row)
        const at = offset % line.length
        const changed = line.slice(0, at) + replacement + line.slice(at + length)
        const found = recogniseIn(learnedFrom(row), changed)
        if (found !== undefined) expect(right(found)).toStrictEqual(decodeRow(changed))
      }),
      { numRuns: caseCount(50_000) },
    )
  })

  it.each([
    ['a price of zero', { price: 0 }],
    ['a negative price', { price: -1 }],
    ['an infinite price', { price: '1'.repeat(400) }],
    ['a price with a leading zero', { price: '01.5' }],
    ['a price that ends in a point', { price: '1.' }],
    ['a price that starts with a point', { price: '.5' }],
    ['a price of two points', { price: '1.2.3' }],
    ['a time that is too late', { receivedAt: '9'.repeat(400) }],
    ['no epoch', { epoch: '' }],
  ])('does not recognise %s', (_, fields) => {
    const line = encodeRow(rowOf('svc-0xab', fields)).replace(/:"([\d.]*)"/, ':$1')
    expect(recogniseIn(learned('svc-0xab'), line)).toBeUndefined()
  })

  it('does not recognise a time of a row after the last time of a Date', () => {
    const line = encodeRow({ ...rowOf('svc-0xab'), at: 8.64e15 + 2 })
    expect(recogniseIn(learned('svc-0xab'), line)).toBeUndefined()
  })

  it('does not recognise a topic that was not learned, nor one in another spelling', () => {
    const rows = learned('svc-0xab')
    expect(recogniseIn(rows, encodeRow(rowOf('svc-0xac')))).toBeUndefined()
    expect(recogniseIn(rows, encodeRow(rowOf('svc-0xAB')))).toBeUndefined()
    expect(recogniseIn(rows, encodeRow(rowOf('svc-0xab', { topic: 'svc-0xAB' })))).toBeUndefined()
  })

  it('does not recognise a row whose end is missing', () => {
    const rows = learned('svc-0xab')
    const bytes = encoder.encode(`${encodeRow(rowOf('svc-0xab'))}\n`)
    expect(rows.recognise(bytes, 0)).toBeDefined()
    for (let end = 0; end < bytes.length; end++) {
      expect(rows.recognise(bytes.subarray(0, end), 0)).toBeUndefined()
    }
  })

  it('recognises topics of any length', () => {
    const topics = [2, 3, 4, 5, 6].map((digits): Topic => `svc-0x${'a'.repeat(digits)}`)
    const rows = learned(...topics)
    const found = topics.map((topic) => recogniseIn(rows, encodeRow(rowOf(topic))) !== undefined)
    expect(found).toEqual([true, true, true, true, true])
  })
})
