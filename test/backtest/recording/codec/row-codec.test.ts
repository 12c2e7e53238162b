import fc from 'fast-check'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  decodeHeader,
  decodeRow,
  encodeRow,
  fastRowText,
} from '../../../../src/backtest/recording/codec/row-codec.js'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'
import type { DepthSide } from '../../../../src/base/domain/depth.js'
import { createDepthSide } from '../../../../src/wire/codec/depth.js'
import { address, topic } from '../../../support/arbitraries.js'
import { caseCount } from '../../../support/run/long.js'
import { unsafeInLine } from '../../../support/unsafe-characters.js'
import { at, plain, price, row } from '../support/generated-rows.js'

const orThrow = <A>(result: Either<unknown, A>): A => {
  if (isLeft(result)) throw new Error('expected a row')
  return result.right
}

const side = { totalQuantity: 1n, totalQuantityUsd: 1 }

const header: fc.Arbitrary<RecordingHeader> = plain({
  _tag: fc.constant('Recording' as const),
  version: fc.constant(1 as const),
  at,
  topics: fc.array(topic),
  mints: fc.array(address),
  interval: fc.integer({ min: 1 }),
})

describe('decodeRow', () => {
  it('is the inverse of encodeRow, which writes one line', () => {
    fc.assert(
      fc.property(row, (written) => {
        const line = encodeRow(written)
        expect(line).not.toMatch(/[\n\r]/)
        expect(line).not.toMatch(unsafeInLine)
        expect(decodeRow(line)).toStrictEqual(right(written))
      }),
      { numRuns: caseCount(20_000) },
    )
  })

  it('reads an interval that JSON does not have as NaN', () => {
    for (const interval of [NaN, Infinity, -Infinity]) {
      const event = left({ _tag: 'InvalidInterval', message: 'm', interval } as const)
      const written: Row = { _tag: 'Depth', at: 1, mint: '0xab', event }
      expect(decodeRow(encodeRow(written))).toMatchObject(right({ event: { left: { interval: NaN } } }))
    }
  })

  it('drops unknown fields', () => {
    const line =
      '{"_tag":"Price","at":1,"topic":"svc-0xab","x":1,"event":{"_tag":"Right","y":2,"right":' +
      '{"topic":"svc-0xab","price":1.5,"receivedAt":3,"epoch":1,"__proto__":{"polluted":true},"z":3}}}'
    expect(decodeRow(line)).toStrictEqual(
      right({
        _tag: 'Price',
        at: 1,
        topic: 'svc-0xab',
        event: right({ topic: 'svc-0xab', price: 1.5, receivedAt: 3, epoch: 1 }),
      }),
    )
  })

  it('rejects a truncated line, and does not throw for a changed one', () => {
    fc.assert(
      fc.property(
        row,
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (written, position, character) => {
          const line = encodeRow(written)
          const index = position % line.length
          expect(decodeRow(line.slice(0, index))._tag).toBe('Left')
          decodeRow(line.slice(0, index) + character + line.slice(index + 1))
        },
      ),
    )
  })

  it.each([
    ['a price of 0', '"price":1.5', '"price":0'],
    ['a price as text', '"price":1.5', '"price":"1.5"'],
    ['a malformed topic', '"topic":"svc-0xab"', '"topic":"0xab"'],
    ['no time', '"at":1,', ''],
  ])('rejects a row with %s', (_, from, to) => {
    const line = encodeRow({
      _tag: 'Price',
      at: 1,
      topic: 'svc-0xab',
      event: right({ topic: 'svc-0xab', price: 1.5, receivedAt: 3, epoch: 1 }),
    })
    expect(decodeRow(line.replace(from, to))).toMatchObject({ left: { _tag: 'DecodeError' } })
  })
})

describe('encodeRow', () => {
  const anyNumber = fc.oneof(at, fc.double(), fc.constantFrom(-0, NaN, Infinity, 2 ** 53))
  const anyText = fc.oneof(
    topic,
    fc.string({ unit: 'binary' }),
    fc.constantFrom('svc-0x"', 'svc-0x\\', 'svc-0x\u202e'),
  )
  /** A price row, or nearly one. */
  const nearlyPriceRow = fc
    .tuple(
      fc.record({ at: anyNumber, topic: anyText, price: anyNumber, receivedAt: anyNumber, epoch: anyNumber }),
      fc.oneof(fc.constant(undefined), anyText),
      fc.constantFrom<(price: Record<string, unknown>) => unknown>(
        (price) => price,
        (price) => price,
        (price) => price,
        (price) => ({ ...price, extra: 1 }),
        ({ epoch, ...price }) => ({ epoch, ...price }),
        ({ topic, receivedAt }) => ({ topic, receivedAt }),
        (price) => Object.create(price) as unknown,
        (price) => ({ ...price, toJSON: () => 'own' }),
        (price) => Object.defineProperty({ ...price }, 'toJSON', { value: () => 'own' }),
        (price) => ({ ...price, price: String(price['price']) }),
        (price) => ({ ...price, topic: price['epoch'] }),
        () => null,
      ),
      fc.constantFrom('Right', 'Left', 'Other'),
      fc.boolean(),
    )
    .map(([{ at, topic, ...numbers }, otherTopic, change, tag, isReordered]) => {
      const { price, receivedAt, epoch } = numbers
      const event = { _tag: tag, right: change({ topic: otherTopic ?? topic, price, receivedAt, epoch }) }
      const row = isReordered ? { _tag: 'Price', topic, at, event } : { _tag: 'Price', at, topic, event }
      return row as unknown as Row
    })

  it('writes the same text with and without the fast path', () => {
    fc.assert(
      fc.property(fc.oneof(row, header), (written) => {
        const text = encodeRow(written)
        expect(fastRowText(written) ?? text).toBe(text)
      }),
      { numRuns: caseCount(50_000) },
    )
  })

  it('writes by the fast path what readers accept', () => {
    let count = 0
    fc.assert(
      fc.property(nearlyPriceRow, (written) => {
        const text = fastRowText(written)
        if (text === undefined) return
        count++
        expect(encodeRow(orThrow(decodeRow(text)))).toBe(text)
      }),
      { numRuns: caseCount(50_000) },
    )
    expect(count).toBeGreaterThan(0)
  })

  it('writes plain depths by the fast path', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 40n })
    const usd = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
    fc.assert(
      fc.property(
        at,
        fc.array(quantity, { minLength: 2, maxLength: 2 }),
        usd,
        fc.boolean(),
        (time, units, value, isPlain) => {
          const [buy, sell] = units.map((totalQuantity) => {
            const side = { totalQuantity, totalQuantityUsd: value }
            return isPlain ? side : createDepthSide(side)
          }) as [DepthSide, DepthSide]
          const depth = { mint: '0xab', price: 1.5, timestamp: time, buy, sell, receivedAt: time } as const
          const written: Row = { _tag: 'Depth', at: time, mint: '0xab', event: right(depth) }
          expect(fastRowText(written)).toBe(encodeRow(written))
        },
      ),
    )
  })

  it('writes only the known fields of a depth by the fast path', () => {
    const depth = { mint: '0xab', price: 1, timestamp: 2, buy: side, sell: side, receivedAt: 2 } as const
    const textOf = (right: object, event = { _tag: 'Right', right }) =>
      fastRowText({ _tag: 'Depth', at: 2, mint: '0xab', event } as unknown as Row)
    const text = textOf(depth)
    expect(text).toBeDefined()
    expect(textOf({ note: 'x', ...depth })).toBe(text)
    expect(textOf({ ...depth, buy: { ...side, toJSON: () => 1 } })).toBe(text)
    expect(textOf({ ...depth, buy: { ...side, totalQuantity: -1n } })).toBeUndefined()
  })

  it('writes plain prices by the fast path', () => {
    fc.assert(
      fc.property(at, topic, price, (time, name, value) => {
        const written: Row = { _tag: 'Price', at: time, topic: name, event: right(value) }
        expect(fastRowText(written)).toBe(encodeRow(written))
      }),
    )
  })
})

describe('decodeHeader', () => {
  it('is the inverse of encodeRow', () => {
    fc.assert(
      fc.property(header, (written) => {
        expect(decodeHeader(encodeRow(written))).toStrictEqual(right(written))
      }),
    )
  })

  it('reports a line that is no object as one issue', () => {
    expect(decodeHeader('[1, 2]')).toMatchObject({
      left: { issues: [{ path: '', expected: 'the header of a recording', actual: 'an array' }] },
    })
  })
})
