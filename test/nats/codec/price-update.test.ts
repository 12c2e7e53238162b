import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  encodePriceUpdate,
  readPriceUpdate,
  type PriceUpdateHeader,
} from '../../../src/nats/codec/price-update.js'

const read = (text: string) => {
  const header: PriceUpdateHeader = { sequence: 0, time: 0, start: 0 }
  const bytes = Buffer.from(text)
  if (!readPriceUpdate(bytes, header)) return undefined
  return { sequence: header.sequence, time: header.time, frame: bytes.toString('utf8', header.start) }
}

const count = fc.nat(999_999_999_999_999)

describe('a price update', () => {
  it('is read as it was encoded, with its time rounded down', () => {
    fc.assert(
      fc.property(
        count,
        fc.double({ min: 0, max: 1e12, noNaN: true }),
        fc.string(),
        (sequence, time, frame) => {
          expect(read(encodePriceUpdate(sequence, time, frame))).toEqual({
            sequence,
            time: Math.floor(time),
            frame: Buffer.from(frame).toString(),
          })
        },
      ),
    )
  })

  it.each([
    '',
    ' ',
    '1',
    '1 ',
    '1 2',
    '-1 2 x',
    '1  2 x',
    'x 2 y',
    '1 x y',
    '1e3 2 x',
    '1234567890123456 2 x',
    '\u0661 2 x',
  ])('%j is malformed', (text) => {
    expect(read(text)).toBe(undefined)
  })

  it('is never read with another header after a mutation of a byte', () => {
    const grammar = /^(\d{1,15}) (\d{1,15}) /
    fc.assert(
      fc.property(count, count, fc.nat(40), fc.nat(127), (sequence, time, at, byte) => {
        const bytes = Buffer.from(encodePriceUpdate(sequence, time, '{"price":1}'))
        bytes[at % bytes.length] = byte
        const text = bytes.toString()
        const expected = grammar.exec(text)
        const header = read(text)
        expect(header && [header.sequence, header.time]).toEqual(
          expected === null ? undefined : [Number(expected[1]), Number(expected[2])],
        )
      }),
    )
  })
})
