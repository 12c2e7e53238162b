import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { decodeConsumerMessage, type ConsumerMessage } from '../../../src/nats/codec/messages.js'
import { encodeWithin } from '../../../src/nats/codec/message-parts.js'

const base = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const topic = `svc-${base}` as const
/** Includes characters that JSON escapes, of several bytes, and halves of surrogate pairs. */
const longText = fc.string({
  unit: fc.constantFrom('a', '"', '\u0001', 'ü', '😀', '\ud83d'),
  maxLength: 8_000,
})
const number = fc.integer({ min: 0, max: 2 ** 50 })

const message: fc.Arbitrary<ConsumerMessage> = fc.oneof(
  fc.record({ type: fc.constant('down'), reason: longText }),
  fc.record({ type: fc.constant('closed'), code: number, reason: longText }),
  fc.record({ type: fc.constant('rejected'), base: fc.constant(base), text: longText }),
  fc.record({
    ...{ type: fc.constant('confirmed'), topic: fc.constant(topic), base: fc.constant(base) },
    ...{ number, sequence: number, price: fc.record({ frame: longText, time: number }) },
  }),
  fc.record({
    ...{ type: fc.constant('response'), status: fc.constant(200), lateMs: number, body: longText },
    headers: fc.dictionary(fc.constantFrom('content-type', 'retry-after'), fc.string({ maxLength: 20 })),
  }),
)

const decode = (text = ''): ConsumerMessage => {
  const decoded = decodeConsumerMessage(text)
  if (isRight(decoded)) return decoded.right
  throw new Error(decoded.left.message)
}

it('shortens any message to the maximum size, and the result has the same type', () => {
  fc.assert(
    fc.property(message, fc.integer({ min: 2_000, max: 12_000 }), (value, maxBytes) => {
      const text = encodeWithin(value, maxBytes)
      expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(maxBytes)
      expect(decode(text).type).toBe(value.type)
    }),
  )
})

it('leaves a message of the maximum size as it is', () => {
  fc.assert(
    fc.property(message, (value) => {
      const text = JSON.stringify(value)
      expect(encodeWithin(value, Buffer.byteLength(text))).toBe(text)
    }),
  )
})

it('replaces a response that is too long by status 502 without its headers', () => {
  const headers = { etag: 'a'.repeat(5_000) }
  const response = { type: 'response', status: 200, headers, body: 'b'.repeat(5_000), lateMs: 1 } as const
  const replaced = decode(encodeWithin(response, 4_096))
  expect(replaced).toMatchObject({ status: 502, headers: {}, lateMs: 1 })
  expect(replaced).toHaveProperty('body', expect.stringMatching(/has 10\d{3} bytes.* 4096 bytes/))
})

it('keeps the status and the headers of an error whose text it shortens', () => {
  const headers = { 'retry-after': '3' }
  const error = { type: 'response', status: 429, headers, body: '\u0001'.repeat(1_800), lateMs: 1 } as const
  const shortened = decode(encodeWithin(error, 4_096))
  expect(shortened).toMatchObject({
    status: 429,
    headers,
    body: expect.stringMatching(/^\u0001{199}/) as string,
  })
})

it('keeps the topic in an error text that it shortens', () => {
  const text = `${'x'.repeat(5_000)} ${topic.toUpperCase()}`
  const shortened = decode(encodeWithin({ type: 'rejected', base, text }, 1_000))
  expect(shortened).toMatchObject({ type: 'rejected', text: expect.stringContaining(base) as string })
})

it('confirms a topic without its price if the price is too long', () => {
  const price = { frame: 'x'.repeat(1_000), time: 1 }
  const confirmed = { type: 'confirmed', topic, base, number: 1, sequence: 2 } as const
  expect(decode(encodeWithin({ ...confirmed, price }, 500))).toEqual(confirmed)
})

it('has nothing to send if not even an error fits', () => {
  fc.assert(
    fc.property(message, (value) => {
      expect(Buffer.byteLength(encodeWithin(value, 40) ?? '')).toBeLessThanOrEqual(40)
    }),
  )
})
