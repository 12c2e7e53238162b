import { describe, expect, it } from 'vitest'
import type { ConsumerMessage } from '../../../src/nats/codec/messages.js'
import { Lease } from '../../../src/nats/publisher/lease.js'
import type { Publisher } from '../../../src/nats/publisher/publisher.js'

/** A lease with one topic, whose last update has the number 3. */
const createLease = () => {
  const sent: ConsumerMessage[] = []
  const publisher: Pick<Publisher, 'sequenceOf' | 'send' | 'time'> = {
    sequenceOf: () => 3,
    send: (_, message) => sent.push(message),
    time: () => 0,
  }
  const proof = { isUnproven: true }
  const onEnd = (): void => undefined
  const lease = new Lease('id', 5_000, () => () => proof.isUnproven, 'inbox', publisher as Publisher, onEnd)
  const position = { run: 'r', count: 4 }
  const state = { isConfirmed: true, isUncertain: () => false, currentFrame: () => undefined }
  const topic = { base: '0xaa', topic: 'svc-0xaa', position, ...state } as const
  lease.feeds.set('0xaa', topic as never)
  lease.onSubscribe('0xaa')
  return { lease, topic, position, proof, sent }
}

describe('a lease', () => {
  it('confirms a topic again once the service has answered a probe, with the position of the last price, from which the consumer counts', () => {
    const { lease, topic, position, proof, sent } = createLease()
    lease.confirm(topic)
    lease.confirmWaiting()
    expect(sent).toMatchObject([{ type: 'confirmed', pendingSince: 0 }])
    proof.isUnproven = false
    lease.confirmWaiting()
    lease.confirmWaiting()
    expect(sent.slice(1)).toEqual([expect.objectContaining({ type: 'confirmed', sequence: 3, position })])
    expect(sent[1]).not.toHaveProperty('pendingSince')
  })
})
