import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { expect, it } from 'vitest'
import { Publisher } from '../../../src/nats/publisher/publisher.js'
import { subjectsOf } from '../../../src/nats/subjects.js'
import { TopicUpdatesTable } from '../../../src/nats/client/topic-updates.js'

const connection = { isClosed: () => true } as NatsConnection

it.each([0, 1, 5])(
  'numbers a topic that is published again so that its former consumers see a gap: after %i updates',
  (count) => {
    const publisher = new Publisher(connection, 'g', subjectsOf('svc'), { time: () => 0 }, { bytes: 0 })
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
  const publisher = new Publisher(open, 'g', subjectsOf('svc'), { time: () => 7 }, { bytes: 0 })
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
