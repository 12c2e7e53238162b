import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteTable, type Hash, type RecordOffset } from '../../../src/codec/fast-path/byte-table.js'

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const found = <V>(table: ByteTable<V>, bytes: Uint8Array, offset = 0): V | undefined => {
  const memory = new Uint8Array(offset + bytes.length)
  memory.set(bytes, offset)
  return table.find(viewOf(memory), offset, bytes.length)
}

// One byte over and over but for one, so that byte strings are often equal, and one the beginning of another.
const byteStringOf = (...bytes: readonly number[]): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      length: fc.integer({ min: 8, max: 25 }),
      byte: fc.constantFrom(...bytes),
      other: fc.constantFrom(...bytes),
      at: fc.nat(24),
    })
    .map(({ length, byte, other, at }) => new Uint8Array(length).fill(byte).fill(other, at, at + 1))

const move = fc.oneof(
  fc.record({ add: byteStringOf(1, 0x30, 127) }),
  fc.record({ remove: fc.nat() }),
  fc.record({ find: byteStringOf(0, 1, 0x30, 127, 128, 255), offset: fc.nat(7) }),
)

// Of 32 bits, hardly two are ever alike: by these, many are, or all.
const hashes: readonly (readonly [string, Hash | undefined])[] = [
  ['by its own hash', undefined],
  ['by the length', (_bytes, _start, length) => length],
  ['by nothing', () => -1],
]

describe('a byte table', () => {
  it.each(hashes)(
    'finds what was added last and not removed, as a list would from its end: %s',
    (_, hash) => {
      fc.assert(
        fc.property(fc.array(move, { maxLength: 200 }), (moves) => {
          const table = new ByteTable<number>(hash)
          const model: {
            readonly bytes: Uint8Array
            readonly place: RecordOffset
            readonly value: number
          }[] = []
          for (const [value, what] of moves.entries()) {
            if ('add' in what) {
              const bytes = what.add
              model.push({ bytes, place: table.add(viewOf(bytes), value), value })
            } else if ('remove' in what) {
              const [removed] = model.splice(what.remove % (model.length || 1), 1)
              if (removed !== undefined) table.remove(removed.place)
            } else {
              const expected = model.findLast(({ bytes }) => Buffer.compare(bytes, what.find) === 0)
              expect(found(table, what.find, what.offset)).toBe(expected?.value)
            }
          }
          for (const { bytes } of model) {
            const expected = model.findLast((other) => Buffer.compare(other.bytes, bytes) === 0)
            expect(found(table, bytes)).toBe(expected?.value)
          }
        }),
        { numRuns: 2000 },
      )
    },
  )

  it('finds each of thousands, and none that differs by a bit', () => {
    const table = new ByteTable<number>()
    const bytes = Array.from({ length: 5000 }, (_, index) => Buffer.from(`topic ${index}, and some more`))
    const places = bytes.map((each, index) => table.add(viewOf(each), index))
    for (const [index, each] of bytes.entries()) {
      expect(found(table, each)).toBe(index)
      each[each.length - 1 - (index % 4)]! ^= 1
      expect(found(table, each)).toBeUndefined()
    }
    expect(new Set(places).size).toBe(bytes.length)
  })

  it('finds the last of the same also after it has made room for more', () => {
    const table = new ByteTable<number>()
    const same = Buffer.from('the same bytes')
    for (const value of [1, 2, 3]) table.add(viewOf(same), value)
    for (let value = 4; value < 1000; value++) {
      table.add(viewOf(Buffer.from(`the bytes of ${value}`)), value)
      expect(found(table, same)).toBe(3)
    }
  })

  it('keeps what comes in the place of what was removed', () => {
    const table = new ByteTable<number>()
    const place = table.add(viewOf(Buffer.from('same size')), 1)
    table.remove(place)
    expect(table.add(viewOf(Buffer.from('size same')), 2)).toBe(place)
    expect(found(table, Buffer.from('same size'))).toBeUndefined()
    expect(found(table, Buffer.from('size same'))).toBe(2)
  })
})
