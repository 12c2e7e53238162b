import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { decodeConsumerMessage, type ConsumerMessage } from '../../../src/nats/codec/messages.js'
import { Publisher } from '../../../src/nats/publisher/publisher.js'
import { subjectsOf } from '../../../src/nats/subjects.js'
import { TopicUpdatesTable } from '../../../src/nats/client/topic-updates.js'

const connection = { isClosed: () => true } as NatsConnection

it.each([0, 1, 5])(
  'numbers a topic that is published again so that its former consumers see a gap: after %i updates',
  (count) => {
    const publisher = new Publisher(connection, 'g', subjectsOf('svc'), { time: () => 0 })
    const consumer = new TopicUpdatesTable()
    const topic = { base: '0xa', isWanted: true } as const
    publisher.startTopic(topic)
    consumer.request('0xa', 1, () => ({ unsubscribe: () => undefined }) as Subscription)
    consumer.onConfirmed('0xa', 1, publisher.sequenceOf(topic))
    for (let update = 0; update < count; update++) {
      publisher.publishPrice(topic, '{}')
      expect(consumer.onUpdate('0xa', publisher.sequenceOf(topic))).toBe('deliver')
    }
    publisher.startTopic(topic)
    expect(consumer.onUpdate('0xa', publisher.sequenceOf(topic) + 1)).toBe('gap')
  },
)

it('sends a heartbeat with the last number for each topic that had no message since the last check, while it is wanted', () => {
  const sent: string[] = []
  const open = {
    isClosed: () => false,
    info: { max_payload: 1_000 },
    publish: (subject: string, data: Uint8Array) => sent.push(`${subject} ${Buffer.from(data).toString()}`),
  } as unknown as NatsConnection
  const publisher = new Publisher(open, 'g', subjectsOf('svc'), { time: () => 7 })
  const topic = { base: '0xa', isWanted: true } as { base: '0xa'; isWanted: boolean }
  publisher.startTopic(topic)
  publisher.publishPrice(topic, '{}')
  publisher.publishHeartbeats()
  expect(sent).toEqual(['svc.price.g.0xa 3 7 {}'])
  expect(sent.slice(1)).toEqual([])
  for (let check = 0; check < 4; check++) publisher.publishHeartbeats()
  expect(sent.slice(1)).toEqual(['svc.price.g.0xa 3 7 ', 'svc.price.g.0xa 3 7 '])
  topic.isWanted = false
  publisher.publishHeartbeats()
  expect(sent).toHaveLength(3)
})

/** What a publisher sends of a message to a server with this `max_payload`. */
const sentOf = (message: ConsumerMessage, maxPayload: number): string => {
  let sent = ''
  const open = {
    isClosed: () => false,
    info: { max_payload: maxPayload },
    reconnect: () => Promise.resolve(),
    publish: (_subject: string, data: Uint8Array) => (sent = Buffer.from(data).toString()),
  } as unknown as NatsConnection
  const subjects = subjectsOf('svc')
  new Publisher(open, 'g', subjects, { time: () => 0 }).send('inbox', message)
  return sent
}

const base = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
/** Includes characters that JSON escapes, of several bytes, and halves of surrogate pairs. */
const longText = fc.string({
  unit: fc.constantFrom('a', '"', '\u0001', 'ü', '😀', '\ud83d'),
  maxLength: 8_000,
})
const number = fc.integer({ min: 0, max: 2 ** 50 })

const longMessage: fc.Arbitrary<ConsumerMessage> = fc.oneof(
  fc.record({ type: fc.constant('rejected'), base: fc.constant(base), number, text: longText }),
  fc.record({
    ...{ type: fc.constant('response'), status: fc.constantFrom(200, 429), lateMs: number, body: longText },
    headers: fc.dictionary(fc.constantFrom('content-type', 'retry-after'), fc.string({ maxLength: 20 })),
  }),
)

const decode = (text: string): ConsumerMessage => {
  const decoded = decodeConsumerMessage(text)
  if (isRight(decoded)) return decoded.right
  throw new Error(decoded.left.message)
}

it('shortens a text or a response to the maximum size, and the result has the same type', () => {
  fc.assert(
    fc.property(longMessage, fc.integer({ min: 2_000, max: 12_000 }), (value, maxBytes) => {
      const text = sentOf(value, maxBytes)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
      expect(decode(text).type).toBe(value.type)
    }),
  )
})

it('leaves a message of the maximum size as it is', () => {
  fc.assert(
    fc.property(longMessage, (value) => {
      const text = JSON.stringify(value)
      expect(sentOf(value, Buffer.byteLength(text))).toBe(text)
    }),
  )
})

it('replaces a response that is too long by status 502 without its headers', () => {
  const headers = { etag: 'a'.repeat(5_000) }
  const response = { type: 'response', status: 200, headers, body: 'b'.repeat(5_000), lateMs: 1 } as const
  const replaced = decode(sentOf(response, 4_096))
  expect(replaced).toMatchObject({ status: 502, headers: {}, lateMs: 1 })
  expect(replaced).toHaveProperty('body', expect.stringMatching(/has 10\d{3} bytes.* 4096 bytes/))
})

it('keeps the status and the headers of an error whose text it shortens', () => {
  const headers = { 'retry-after': '3' }
  const error = { type: 'response', status: 429, headers, body: '\u0001'.repeat(1_800), lateMs: 1 } as const
  const shortened = decode(sentOf(error, 4_096))
  expect(shortened).toMatchObject({
    status: 429,
    headers,
    body: expect.stringMatching(/^\u0001{199}/) as string,
  })
})

it('keeps the topic in an error text that it shortens', () => {
  const text = `${'x'.repeat(5_000)} svc-${base.toUpperCase()}`
  const shortened = decode(sentOf({ type: 'rejected', base, number: 1, text }, 1_000))
  expect(shortened).toMatchObject({ type: 'rejected', text: expect.stringContaining(base) as string })
})

it('sends nothing if not even an error fits', () => {
  fc.assert(
    fc.property(longMessage, (value) => {
      expect(sentOf(value, 20)).toBe('')
    }),
  )
})
