import fc from 'fast-check'
import { frame, fragmented, opcode, ping, pong, priceText, text, type LengthForm } from './frames.js'

export const topics = ['svc-0xa', 'svc-0xb', 'svc-0xb-0xc'] as const

const price = fc
  .tuple(fc.constantFrom(...topics, 'svc-0xd'), fc.integer({ min: 1, max: 99_999 }), fc.boolean())
  .map(([topic, value, isExact]) => text(priceText(topic, isExact ? `${value}` : `${value / 100}`)))

const shortTexts = [
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

const shortText = fc.constantFrom(...shortTexts).map(text)

const lengths = [125, 126, 127, 128, 255, 256, 500, 1000, 1001, 4096]
const hugeLengths = [16_384, 40_000, 65_535, 65_536, 66_000, 80_000, 80_001]

/** A frame whose payload repeats one letter. */
export const filled = (kind: number, length: number, form?: LengthForm): Buffer =>
  frame({
    opcode: kind,
    payload: Buffer.alloc(length, 'a'.charCodeAt(0) + (length % 26)),
    ...(form && { form }),
  })

const longText = fc.constantFrom(...lengths).map((length) => filled(opcode.text, length))

export const hugeText = fc.constantFrom(...hugeLengths).map((length) => filled(opcode.text, length))

/** The length in a longer form than necessary. */
const overlongLength = fc
  .tuple(
    fc.constantFrom(opcode.text, opcode.binary),
    fc.constantFrom<LengthForm>('medium', 'long'),
    fc.nat(130),
  )
  .map(([kind, form, length]) => filled(kind, length, form))

const binaryFrame = fc
  .uint8Array({ maxLength: 20 })
  .map((content) => frame({ opcode: opcode.binary, payload: Buffer.from(content) }))

const controlFrame = fc
  .tuple(fc.constantFrom(ping, pong), fc.constantFrom('', 'hi', 'p'.repeat(125)))
  .map(([make, content]) => make(content))

const fragmentedMessage = fc
  .record({
    kind: fc.constantFrom(opcode.text, opcode.binary),
    content: fc.constantFrom('', 'hello', 'déjà vu', '\u{1f600}\u{1f601}', 'y'.repeat(40)),
    cuts: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
    between: fc.array(controlFrame, { maxLength: 2 }),
  })
  .map(({ kind, content, cuts, between }) => {
    const payload = Buffer.from(content)
    const bounds = [0, ...cuts.map((cut) => Math.min(cut, payload.length)).sort((a, b) => a - b)]
    const parts = bounds.map((from, index) => payload.subarray(from, bounds[index + 1]))
    return fragmented(kind, parts, between)
  })

const invalidUtf8 = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0x80]]
const invalidUtf8Text = fc.oneof(
  fc
    .constantFrom(...invalidUtf8)
    .map((content) => frame({ opcode: opcode.text, payload: Buffer.from(content) })),
  fc.constant(fragmented(opcode.text, [Buffer.of(0xc3), Buffer.of(0x28)])),
)

/** A frame, or a fragmented message, that `ws` accepts. */
export const validFrame = fc.oneof(
  { arbitrary: price, weight: 8 },
  { arbitrary: shortText, weight: 4 },
  { arbitrary: controlFrame, weight: 3 },
  { arbitrary: fragmentedMessage, weight: 3 },
  { arbitrary: binaryFrame, weight: 2 },
  { arbitrary: longText, weight: 2 },
  { arbitrary: overlongLength, weight: 2 },
  { arbitrary: invalidUtf8Text, weight: 1 },
)
