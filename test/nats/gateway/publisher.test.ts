import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { expect, it } from 'vitest'
import { Publisher } from '../../../src/nats/gateway/publisher.js'
import { SentBytes } from '../../../src/nats/gateway/sent-bytes.js'
import { subjectsOf } from '../../../src/nats/subjects.js'
import { TopicUpdatesTable } from '../../../src/nats/consumer/session-updates.js'

const connection = { isClosed: () => true } as NatsConnection

it.each([0, 1, 5])(
  'numbers a topic that is published again so that its former consumers see a gap: after %i updates',
  (count) => {
    const publisher = new Publisher(connection, 'g', subjectsOf('svc'), { time: () => 0 }, new SentBytes())
    const consumer = new TopicUpdatesTable()
    let sequence = publisher.startSequence()
    consumer.request('0xa', 1, () => ({ unsubscribe: () => undefined }) as Subscription)
    consumer.onConfirmed('0xa', 1, sequence)
    for (let update = 0; update < count; update++) {
      publisher.publishPrice('0xa', ++sequence, '{}')
      expect(consumer.onUpdate('0xa', sequence)).toBe('deliver')
    }
    expect(consumer.onUpdate('0xa', publisher.startSequence() + 1)).toBe('gap')
  },
)
