import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { UncorrelatedError } from '../../../src/errors/model.js'
import { decodeHeader, decodeRow, encodeRow } from '../../../src/recording/format/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/recording/format/row.js'
import { errors } from '../../errors/support/arbitraries.js'
import { address, priceValue, quantity, topic } from '../../support/arbitraries.js'
import { unsafeInLine } from '../../support/unsafe-characters.js'
import { depthError, priceError } from '../support/errors.js'

const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true })

const at = fc.integer({ min: 0, max: 2 ** 45 })
const usd = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0)
const price = plain({ topic, price: priceValue, receivedAt: at, epoch: fc.nat() })
const side = plain({ totalQuantity: quantity, totalQuantityUsd: usd })
const depth = plain({
  mint: address,
  price: priceValue,
  timestamp: at,
  buy: side,
  sell: side,
  receivedAt: at,
})

const status = fc.oneof(
  fc.constant({ _tag: 'Idle' } as const),
  fc.constant({ _tag: 'Closed' } as const),
  plain({ _tag: fc.constant('Connecting' as const), attempt: fc.nat() }),
  plain({ _tag: fc.constant('Open' as const), epoch: fc.nat(), since: at }),
  plain({
    _tag: fc.constant('Waiting' as const),
    attempt: fc.nat(),
    retryInMs: fc.nat(),
    reason: fc.string({ unit: 'binary' }),
  }),
)

const row: fc.Arbitrary<Row> = fc.oneof(
  plain({
    _tag: fc.constant('Price' as const),
    at,
    topic,
    event: fc.oneof(
      price.map((value) => right(value)),
      priceError.map((error) => left(error)),
    ),
  }),
  plain({
    _tag: fc.constant('Depth' as const),
    at,
    mint: address,
    event: fc.oneof(
      depth.map((value) => right(value)),
      depthError.map((error) => left(error)),
    ),
  }),
  plain({ _tag: fc.constant('End' as const), at, of: fc.oneof(topic, address) }),
  plain({ _tag: fc.constant('Status' as const), at, status }),
  plain({
    _tag: fc.constant('Uncorrelated' as const),
    at,
    error: errors.UncorrelatedError as fc.Arbitrary<UncorrelatedError>,
  }),
)

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
      { numRuns: 2000 },
    )
  })

  it('keeps NaN, the infinities and -0', () => {
    for (const interval of [NaN, Infinity, -Infinity, -0]) {
      const event = left({ _tag: 'InvalidInterval', message: 'm', interval } as const)
      const written: Row = { _tag: 'Depth', at: 1, mint: '0xab', event }
      expect(decodeRow(encodeRow(written))).toStrictEqual(right(written))
    }
    const stale = { _tag: 'Stale', message: 'm', topic: 't', silentForMs: -0, last: undefined } as const
    const written: Row = { _tag: 'Price', at: 1, topic: 'svc-0xab', event: left(stale) }
    expect(decodeRow(encodeRow(written))).toStrictEqual(right(written))
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

describe('decodeHeader', () => {
  it('is the inverse of encodeRow', () => {
    fc.assert(
      fc.property(header, (written) => {
        expect(decodeHeader(encodeRow(written))).toStrictEqual(right(written))
      }),
    )
  })
})
