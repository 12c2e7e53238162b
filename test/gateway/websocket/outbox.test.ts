import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameBatch } from '../../../src/gateway/websocket/outbox.js'

const frame = fc.constantFrom('\x81\x01a', '\x81\x01b', '\x81\x02cd', '\x81\x02\xe9\xff')

const batchOf = (start: FrameBatch, frames: readonly string[]): FrameBatch =>
  frames.reduce((batch, each) => batch.with(each), start)

test('a batch has the bytes of its frames, in order, and is one object for equal sequences', () => {
  fc.assert(
    fc.property(fc.array(fc.array(frame, { maxLength: 8 }), { maxLength: 20 }), (sequences) => {
      const start = new FrameBatch()
      const batches = sequences.map((frames) => batchOf(start, frames))
      for (const [index, frames] of sequences.entries()) {
        expect(batches[index]?.bytes).toEqual(Buffer.from(frames.join(''), 'latin1'))
        expect(batchOf(start, frames)).toBe(batches[index])
        for (const [other, otherFrames] of sequences.entries()) {
          if (otherFrames.join() !== frames.join()) expect(batches[other]).not.toBe(batches[index])
        }
      }
    }),
  )
})

test('the bytes of a batch are made once', () => {
  const batch = new FrameBatch().with('\x81\x01a')
  expect(batch.bytes).toBe(batch.bytes)
})
