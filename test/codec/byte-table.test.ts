import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteTable, type Place } from '../../src/codec/byte-table.js'

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const found = <V>(table: ByteTable<V>, bytes: Uint8Array, offset = 0): V | undefined => {
  const memory = new Uint8Array(offset + bytes.length)
  memory.set(bytes, offset)
  return table.find(viewOf(memory), offset, bytes.length)
}

// Few different bytes, so that byte strings are often equal, and one the beginning of another.
const byteString = fc
  .array(fc.constantFrom(0, 1, 255), { minLength: 4, maxLength: 9 })
  .map((bytes) => Uint8Array.from(bytes))

const move = fc.oneof(
  fc.record({ add: byteString }),
  fc.record({ remove: fc.nat() }),
  fc.record({ find: byteString, offset: fc.nat(7) }),
)

describe('a byte table', () => {
  it('finds what was added last and not removed: as a list would that is searched from its end', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 200 }), (moves) => {
        const table = new ByteTable<number>()
        const model: { readonly bytes: Uint8Array; readonly place: Place; readonly value: number }[] = []
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
  })

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

  it('keeps what comes in the place of what was removed', () => {
    const table = new ByteTable<number>()
    const place = table.add(viewOf(Buffer.from('same size')), 1)
    table.remove(place)
    expect(table.add(viewOf(Buffer.from('size same')), 2)).toBe(place)
    expect(found(table, Buffer.from('same size'))).toBeUndefined()
    expect(found(table, Buffer.from('size same'))).toBe(2)
  })
})
