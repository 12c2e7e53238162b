import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteTable, type Hash, type RecordOffset } from '../../../../src/wire/codec/fast-path.js'

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const findIn = <V>(table: ByteTable<V>, bytes: Uint8Array, offset = 0): V | undefined => {
  const memory = new Uint8Array(offset + bytes.length)
  memory.set(bytes, offset)
  return table.find(viewOf(memory), offset, bytes.length)
}

// One byte repeated, with at most one other byte, so that byte strings are often equal or prefixes of each other.
const byteStringOf = (...bytes: readonly number[]): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      length: fc.integer({ min: 8, max: 25 }),
      byte: fc.constantFrom(...bytes),
      other: fc.constantFrom(...bytes),
      at: fc.nat(24),
    })
    .map(({ length, byte, other, at }) => new Uint8Array(length).fill(byte).fill(other, at, at + 1))

const operation = fc.oneof(
  fc.record({ add: byteStringOf(1, 0x30, 127) }),
  fc.record({ remove: fc.nat() }),
  fc.record({ find: byteStringOf(0, 1, 0x30, 127, 128, 255), offset: fc.nat(7) }),
)

// Collisions of the 32-bit hash are rare. The other two hashes collide often, or always.
const hashes: readonly (readonly [string, Hash | undefined])[] = [
  ['the default hash', undefined],
  ['a hash of the length', (_bytes, _start, length) => length],
  ['a constant hash', () => -1],
]

describe('ByteTable', () => {
  it.each(hashes)('finds the last added record that was not removed, with %s', (_, hash) => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const table = new ByteTable<number>(hash)
        const model: {
          readonly bytes: Uint8Array
          readonly record: RecordOffset
          readonly value: number
        }[] = []
        for (const [value, what] of operations.entries()) {
          if ('add' in what) {
            const bytes = what.add
            model.push({ bytes, record: table.add(viewOf(bytes), value), value })
          } else if ('remove' in what) {
            const [removed] = model.splice(what.remove % (model.length || 1), 1)
            if (removed !== undefined) table.remove(removed.record)
          } else {
            const expected = model.findLast(({ bytes }) => Buffer.compare(bytes, what.find) === 0)
            expect(findIn(table, what.find, what.offset)).toBe(expected?.value)
          }
        }
        for (const { bytes } of model) {
          const expected = model.findLast((other) => Buffer.compare(other.bytes, bytes) === 0)
          expect(findIn(table, bytes)).toBe(expected?.value)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('finds each of thousands of byte strings, and none that differs by a bit', () => {
    const table = new ByteTable<number>()
    const bytes = Array.from({ length: 5000 }, (_, index) => Buffer.from(`topic ${index}, and some more`))
    const records = bytes.map((each, index) => table.add(viewOf(each), index))
    for (const [index, each] of bytes.entries()) {
      expect(findIn(table, each)).toBe(index)
      each[each.length - 1 - (index % 4)]! ^= 1
      expect(findIn(table, each)).toBeUndefined()
    }
    expect(new Set(records).size).toBe(bytes.length)
  })

  it('finds the last of equal byte strings after a rehash', () => {
    const table = new ByteTable<number>()
    const same = Buffer.from('the same bytes')
    for (const value of [1, 2, 3]) table.add(viewOf(same), value)
    for (let value = 4; value < 1000; value++) {
      table.add(viewOf(Buffer.from(`the bytes of ${value}`)), value)
      expect(findIn(table, same)).toBe(3)
    }
  })

  it('reuses the memory of a removed record', () => {
    const table = new ByteTable<number>()
    const record = table.add(viewOf(Buffer.from('same size')), 1)
    table.remove(record)
    expect(table.add(viewOf(Buffer.from('size same')), 2)).toBe(record)
    expect(findIn(table, Buffer.from('same size'))).toBeUndefined()
    expect(findIn(table, Buffer.from('size same'))).toBe(2)
  })
})
