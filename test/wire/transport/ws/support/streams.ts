import fc from 'fast-check'
import { invalidFrame } from './invalid-frames.js'
import { hugeText, validFrame } from './valid-frames.js'

/** Frames that `ws` accepts, except frames above `maxFrameBytes`. */
export const validStream = fc
  .array(fc.oneof({ arbitrary: validFrame, weight: 60 }, { arbitrary: hugeText, weight: 1 }), {
    maxLength: 14,
    size: 'max',
  })
  .map((frames) => Buffer.concat(frames))

/** Valid frames, one invalid or close frame, and valid frames. */
export const invalidStream = fc
  .tuple(
    fc.array(validFrame, { maxLength: 6, size: 'max' }),
    invalidFrame,
    fc.array(validFrame, { maxLength: 6, size: 'max' }),
  )
  .map(([before, broken, after]) => Buffer.concat([...before, broken, ...after]))

/** A stream that ends at any byte. */
export const truncatedStream = fc
  .tuple(fc.oneof(validStream, invalidStream), fc.nat(2 ** 20))
  .map(([stream, at]) => stream.subarray(0, at % (stream.length + 1)))

interface Change {
  readonly kind: 'flip' | 'set' | 'insert' | 'remove'
  readonly at: number
  readonly byte: number
}

const changed = (stream: Buffer, { kind, at, byte }: Change): Buffer => {
  const index = at % (stream.length + 1)
  const before = stream.subarray(0, index)
  const after = stream.subarray(kind === 'insert' ? index : index + 1)
  const changedByte = kind === 'flip' ? (stream[index] ?? 0) ^ (1 << (byte & 7)) : byte
  return Buffer.concat([before, kind === 'remove' ? Buffer.alloc(0) : Buffer.of(changedByte), after])
}

const change = fc.record<Change>({
  kind: fc.constantFrom('flip', 'set', 'insert', 'remove'),
  at: fc.nat(2 ** 20),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0x80, 0x81, 0x01, 0x7e, 0x7f, 0xfe, 0)),
})

/** A stream with up to three bytes changed, inserted or removed. */
export const changedStream = fc
  .tuple(fc.oneof(validStream, invalidStream), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([stream, changes]) => changes.reduce(changed, stream))
