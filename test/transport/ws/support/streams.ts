import fc from 'fast-check'
import type { Ending, Piece } from './fake-raw.js'
import { close, closing, frame, fragmented, opcode, ping, pong, text, type LengthForm } from './frames.js'

/** Values of `maxFrameBytes`. */
export const limits = [36, 125, 1000, 65_535, 80_000, 80_000] as const

export const topics = ['svc-0xa', 'svc-0xb', 'svc-0xb-0xc'] as const

export const update = (topic: string, price: string): string => `{"topic":"${topic}","price":${price}}`

// Valid frames.

const price = fc
  .tuple(fc.constantFrom(...topics, 'svc-0xd'), fc.integer({ min: 1, max: 99_999 }), fc.boolean())
  .map(([topic, value, isExact]) => text(update(topic, isExact ? `${value}` : `${value / 100}`)))

const words = [
  '',
  'a',
  '{}',
  'é',
  '\u{1f600}',
  'OK',
  '\r\n\r\n',
  'HTTP/1.1 101',
  '\x81\x02hi',
  'x'.repeat(30),
]

const short = fc.constantFrom(...words).map(text)

const lengths = [125, 126, 127, 128, 255, 256, 500, 1000, 1001, 4096]
const hugeLengths = [16_384, 40_000, 65_535, 65_536, 66_000, 80_000, 80_001]

const filled = (kind: number, length: number, form?: LengthForm): Buffer =>
  frame({
    opcode: kind,
    payload: Buffer.alloc(length, 'a'.charCodeAt(0) + (length % 26)),
    ...(form && { form }),
  })

const long = fc.constantFrom(...lengths).map((length) => filled(opcode.text, length))

const huge = fc.constantFrom(...hugeLengths).map((length) => filled(opcode.text, length))

/** A length in a longer form than necessary. */
const wasteful = fc
  .tuple(
    fc.constantFrom(opcode.text, opcode.binary),
    fc.constantFrom<LengthForm>('medium', 'long'),
    fc.nat(130),
  )
  .map(([kind, form, length]) => filled(kind, length, form))

const bytes = fc
  .uint8Array({ maxLength: 20 })
  .map((content) => frame({ opcode: opcode.binary, payload: Buffer.from(content) }))

const control = fc
  .tuple(fc.constantFrom(ping, pong), fc.constantFrom('', 'hi', 'p'.repeat(125)))
  .map(([make, content]) => make(content))

const inFragments = fc
  .record({
    kind: fc.constantFrom(opcode.text, opcode.binary),
    content: fc.constantFrom('', 'hello', 'déjà vu', '\u{1f600}\u{1f601}', 'y'.repeat(40)),
    cuts: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
    between: fc.array(control, { maxLength: 2 }),
  })
  .map(({ kind, content, cuts, between }) => {
    const payload = Buffer.from(content)
    const bounds = [0, ...cuts.map((cut) => Math.min(cut, payload.length)).sort((a, b) => a - b)]
    const parts = bounds.map((from, index) => payload.subarray(from, bounds[index + 1]))
    return fragmented(kind, parts, between)
  })

const invalidUtf8 = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0x80]]
const notUtf8 = fc.oneof(
  fc
    .constantFrom(...invalidUtf8)
    .map((content) => frame({ opcode: opcode.text, payload: Buffer.from(content) })),
  fc.constant(fragmented(opcode.text, [Buffer.of(0xc3), Buffer.of(0x28)])),
)

const valid = fc.oneof(
  { arbitrary: price, weight: 8 },
  { arbitrary: short, weight: 4 },
  { arbitrary: control, weight: 3 },
  { arbitrary: inFragments, weight: 3 },
  { arbitrary: bytes, weight: 2 },
  { arbitrary: long, weight: 2 },
  { arbitrary: wasteful, weight: 2 },
  { arbitrary: notUtf8, weight: 1 },
)

// Invalid frames and close frames. Bytes after them must not be handled as frames.

const codes = [
  0, 999, 1000, 1001, 1003, 1004, 1005, 1006, 1007, 1011, 1014, 1015, 1016, 2999, 3000, 4999, 5000,
]

const closeFrame = fc.oneof(
  fc.constant(close()),
  fc
    .tuple(fc.constantFrom(...codes), fc.constantFrom('', 'so long', 'é', 'r'.repeat(123)))
    .map(([code, reason]) => close(code, reason)),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3) })),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3, 0xe8, 0xff) })),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3, 0xe8), isFinal: false })),
  fc.constant(frame({ opcode: opcode.close, payload: closing(1000, 'r'.repeat(124)) })),
)

const hello = Buffer.from('hello')

const anyOpcode = fc.nat(15)

const masked = fc
  .tuple(anyOpcode, fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.constantFrom(5, 130))
  .map(([kind, mask, length]) =>
    frame({ opcode: kind, payload: Buffer.alloc(length, 'm'), mask: Buffer.from(mask) }),
  )

const unknown = fc
  .tuple(fc.constantFrom(3, 4, 5, 6, 7, 11, 12, 13, 14, 15), fc.boolean(), fc.constantFrom(0, 5, 130))
  .map(([kind, isFinal, length]) => frame({ opcode: kind, payload: Buffer.alloc(length, 'u'), isFinal }))

const reserved = fc
  .tuple(anyOpcode, fc.constantFrom(0x40, 0x20, 0x10, 0x70), fc.constantFrom(0, 5, 130))
  .map(([kind, bits, length]) => frame({ opcode: kind, payload: Buffer.alloc(length, 'v'), reserved: bits }))

const invalidControl = fc
  .tuple(fc.constantFrom(opcode.ping, opcode.pong), fc.constantFrom(126, 200), fc.boolean())
  .map(([kind, length, isLong]) =>
    isLong
      ? filled(kind, length, length === 200 ? 'long' : 'medium')
      : frame({ opcode: kind, payload: hello, isFinal: false }),
  )

const interrupted = fc
  .tuple(
    fc.constantFrom(opcode.text, opcode.binary),
    fc.constantFrom(opcode.text, opcode.binary),
    fc.boolean(),
  )
  .map(([begun, next, isFinal]) =>
    Buffer.concat([
      frame({ opcode: begun, payload: hello, isFinal: false }),
      frame({ opcode: next, payload: hello, isFinal }),
    ]),
  )

const orphan = fc.boolean().map((isFinal) => frame({ opcode: opcode.continuation, payload: hello, isFinal }))

/** Too long as the sum of fragments, or by the length in the header. */
const tooLong = fc.oneof(
  huge,
  fc
    .constantFrom(...limits)
    .map((limit) => fragmented(opcode.text, [Buffer.alloc(limit, 'f'), Buffer.from('g')])),
  fc.constantFrom(0x81, 0x82, 0x01).map((first) => Buffer.of(first, 127, 0, 0, 0, 255, 0, 0, 0, 0)),
  fc.constant(Buffer.of(0x81, 127, 0, 0x20, 0, 0, 0, 0, 0, 0)),
  fc.constant(Buffer.of(0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255)),
)

const unfinished = fc
  .constantFrom(opcode.text, opcode.binary)
  .map((kind) => frame({ opcode: kind, payload: hello, isFinal: false }))

const invalid = fc.oneof(
  { arbitrary: closeFrame, weight: 3 },
  masked,
  unknown,
  reserved,
  invalidControl,
  interrupted,
  orphan,
  tooLong,
  unfinished,
)

/** Frames that `ws` accepts, except frames above `maxFrameBytes`. */
export const validStream = fc
  .array(fc.oneof({ arbitrary: valid, weight: 60 }, { arbitrary: huge, weight: 1 }), {
    maxLength: 14,
    size: 'max',
  })
  .map((frames) => Buffer.concat(frames))

/** Valid frames, one invalid or close frame, and valid frames. */
export const invalidStream = fc
  .tuple(
    fc.array(valid, { maxLength: 6, size: 'max' }),
    invalid,
    fc.array(valid, { maxLength: 6, size: 'max' }),
  )
  .map(([before, broken, after]) => Buffer.concat([...before, broken, ...after]))

/** A stream that ends at any byte. */
export const truncated = fc
  .tuple(fc.oneof(validStream, invalidStream), fc.nat(2 ** 20))
  .map(([stream, at]) => stream.subarray(0, at % (stream.length + 1)))

interface Change {
  readonly how: 'flip' | 'set' | 'insert' | 'remove'
  readonly at: number
  readonly byte: number
}

const changed = (stream: Buffer, { how, at, byte }: Change): Buffer => {
  const place = at % (stream.length + 1)
  const before = stream.subarray(0, place)
  const after = stream.subarray(how === 'insert' ? place : place + 1)
  const changedByte = how === 'flip' ? (stream[place] ?? 0) ^ (1 << (byte & 7)) : byte
  return Buffer.concat([before, how === 'remove' ? Buffer.alloc(0) : Buffer.of(changedByte), after])
}

const change = fc.record<Change>({
  how: fc.constantFrom('flip', 'set', 'insert', 'remove'),
  at: fc.nat(2 ** 20),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0x80, 0x81, 0x01, 0x7e, 0x7f, 0xfe, 0)),
})

/** A stream with bytes flipped, inserted and removed. */
export const mutilated = fc
  .tuple(fc.oneof(validStream, invalidStream), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([stream, changes]) => changes.reduce(changed, stream))

// Pieces.

export interface Cut {
  /** The mean length of a piece; 0 for a single piece. */
  readonly mean: number
  /** True if a piece starts at the first frame. */
  readonly afterHandshake: boolean
  /** Percentage of pieces that arrive in the same turn as the previous piece. */
  readonly atOncePercent: number
  readonly seed: number
}

export const cut = fc.record<Cut>({
  mean: fc.constantFrom(0, 0, 1, 2, 3, 7, 20, 60, 200),
  afterHandshake: fc.boolean(),
  atOncePercent: fc.constantFrom(0, 0, 50, 100),
  seed: fc.nat(),
})

/** Xorshift: pseudo-random numbers in [0, 1). */
const seededNumbers = (seed: number): (() => number) => {
  let state = (seed ^ 0x9e3779b9) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** The approximate maximum number of pieces: a long frame byte by byte would take too long. */
const maxPieces = 200

export const pieces = (handshake: Buffer, stream: Buffer, how: Cut): readonly Piece[] => {
  const all = Buffer.concat([handshake, stream])
  const random = seededNumbers(how.seed)
  const found: Piece[] = []
  const mean = Math.max(how.mean, Math.ceil(all.length / maxPieces))
  for (let from = 0; from < all.length;) {
    const size = how.mean === 0 ? all.length : mean === 1 ? 1 : 1 + Math.floor(random() * (2 * mean - 1))
    const isBefore = how.afterHandshake && from < handshake.length
    const to = Math.min(from + size, isBefore ? handshake.length : all.length)
    found.push({ bytes: all.subarray(from, to), atOnce: random() * 100 < how.atOncePercent })
    from = to
  }
  return found
}

export const ending = fc.constantFrom<Ending>('end', 'end', 'reset', 'closed')
