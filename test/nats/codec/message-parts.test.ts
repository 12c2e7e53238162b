import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import {
  decodeConsumerMessage,
  type ConsumerMessage,
  type ConsumerMessageOf,
} from '../../../src/nats/codec/messages.js'
import { encodeWithin } from '../../../src/nats/codec/message-parts.js'

const base = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const topic = `svc-${base}` as const
/** Includes characters that JSON escapes, of several bytes, and halves of surrogate pairs. */
const longText = fc.string({
  unit: fc.constantFrom('a', '"', '\u0001', 'ü', '😀', '\ud83d'),
  maxLength: 8_000,
})
const number = fc.integer({ min: 0, max: 2 ** 50 })
const address = fc.bigInt({ min: 0n, max: 2n ** 160n }).map((value) => `0x${value.toString(16)}`)

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
    headers: fc.dictionary(fc.constantFrom('etag', 'retry-after'), longText),
  }),
  fc.record({
    ...{ type: fc.constant('renewed'), number, time: number, publications: number },
    sequences: fc.dictionary(address, number, { maxKeys: 300 }),
  }),
)

const decodeAll = (texts: readonly string[]): readonly ConsumerMessage[] =>
  texts.map(decodeConsumerMessage).map((decoded) => {
    if (isRight(decoded)) return decoded.right
    throw new Error(decoded.left.message)
  })

const decodeOne = (texts: readonly string[]): ConsumerMessage | undefined => decodeAll(texts)[0]

it('divides or shortens any message to the maximum size, and the result has the same type', () => {
  fc.assert(
    fc.property(message, fc.integer({ min: 300, max: 12_000 }), (value, maxBytes) => {
      const texts = encodeWithin(value, maxBytes)
      expect(texts.length).toBeGreaterThan(0)
      for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
      for (const { type } of decodeAll(texts)) expect(type).toBe(value.type)
    }),
  )
})

it('leaves a message of the maximum size as it is', () => {
  fc.assert(
    fc.property(message, (value) => {
      const text = JSON.stringify(value)
      expect(encodeWithin(value, Buffer.byteLength(text))).toEqual([text])
    }),
  )
})

it('reports each sequence number in exactly one part, and numbers the parts', () => {
  const addresses = fc.uniqueArray(address, { minLength: 40, maxLength: 400 })
  fc.assert(
    fc.property(addresses, fc.integer({ min: 200, max: 2_000 }), (bases, maxBytes) => {
      const sequences = Object.fromEntries(bases.map((each, index) => [each, index]))
      const renewed = { type: 'renewed', number: 3, time: 5, publications: 7, sequences } as const
      const parts = decodeAll(encodeWithin(renewed, maxBytes)) as ConsumerMessageOf<'renewed'>[]
      expect(parts.flatMap((part) => Object.entries(part.sequences))).toEqual(Object.entries(sequences))
      expect(parts.map(({ part = 1 }) => part)).toEqual(parts.map((_part, index) => index + 1))
      expect(new Set(parts.map((part) => part.parts ?? 1))).toEqual(new Set([parts.length]))
    }),
  )
})

it('replaces a response that is too long by status 502 without its headers', () => {
  const headers = { etag: 'a'.repeat(5_000) }
  const response = { type: 'response', status: 200, headers, body: 'b'.repeat(5_000), lateMs: 1 } as const
  const replaced = decodeOne(encodeWithin(response, 4_096))
  expect(replaced).toMatchObject({ status: 502, headers: {}, lateMs: 1 })
  expect(replaced).toHaveProperty('body', expect.stringMatching(/has 10\d{3} bytes.* 4096 bytes/))
})

it('keeps the status and the headers of an error whose text it shortens', () => {
  const headers = { 'retry-after': '3' }
  const error = { type: 'response', status: 429, headers, body: '\u0001'.repeat(1_800), lateMs: 1 } as const
  const shortened = decodeOne(encodeWithin(error, 4_096))
  expect(shortened).toMatchObject({
    status: 429,
    headers,
    body: expect.stringMatching(/^\u0001{500}/) as string,
  })
})

it('keeps the topic in an error text that it shortens', () => {
  const text = `${'x'.repeat(5_000)} ${topic.toUpperCase()}`
  const shortened = decodeOne(encodeWithin({ type: 'rejected', base, text }, 1_000))
  expect(shortened).toMatchObject({ type: 'rejected', text: expect.stringContaining(base) as string })
})

it('confirms a topic without its price if the price is too long', () => {
  const price = { frame: 'x'.repeat(1_000), time: 1 }
  const confirmed = { type: 'confirmed', topic, base, number: 1, sequence: 2 } as const
  expect(decodeOne(encodeWithin({ ...confirmed, price }, 500))).toEqual(confirmed)
})

it('has nothing to send if not even an error fits', () => {
  fc.assert(
    fc.property(message, (value) => {
      for (const text of encodeWithin(value, 40)) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(40)
    }),
  )
})
