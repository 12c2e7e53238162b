import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Words } from '../../src/codec/words.js'

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const strings = fc.array(fc.uint8Array({ minLength: 4, maxLength: 40 }), { minLength: 1, maxLength: 60 })

describe('words', () => {
  it('match what was added, wherever it stands, and nothing else of its length', () => {
    fc.assert(
      fc.property(strings, fc.nat(7), (added, offset) => {
        const words = new Words()
        const places = added.map((bytes) => words.add(viewOf(bytes)))
        for (const [index, bytes] of added.entries()) {
          const memory = new Uint8Array(offset + bytes.length)
          memory.set(bytes, offset)
          expect(words.match(places[index]!, viewOf(memory), offset, bytes.length)).toBe(true)
          const changed = offset + (index % bytes.length)
          memory[changed] = (memory[changed] ?? 0) ^ 1
          expect(words.match(places[index]!, viewOf(memory), offset, bytes.length)).toBe(false)
        }
      }),
    )
  })

  it('give a place that is free again to the next of the same size, and never one that is not', () => {
    fc.assert(
      fc.property(strings, fc.array(fc.nat()), (added, removals) => {
        const words = new Words()
        const kept = added.map((bytes) => ({ bytes, at: words.add(viewOf(bytes)) }))
        for (const which of removals) {
          const index = which % kept.length
          const { bytes, at } = kept[index]!
          words.remove(at, bytes.length)
          const other = Uint8Array.from(bytes, (byte) => byte ^ 0xff)
          expect(words.add(viewOf(other))).toBe(at)
          kept[index] = { bytes: other, at }
        }
        for (const { bytes, at } of kept) expect(words.match(at, viewOf(bytes), 0, bytes.length)).toBe(true)
      }),
    )
  })
})
