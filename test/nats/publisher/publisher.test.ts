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
    const topic = { base: '0xa' } as const
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
