import { describe, expect, it } from 'vitest'
import type { ConsumerMessage } from '../../../src/nats/codec/messages.js'
import { Lease } from '../../../src/nats/publisher/lease.js'
import type { Publisher } from '../../../src/nats/publisher/publisher.js'

/** A lease with one topic, whose last update has the number 3 and is the fourth of all topics. */
const createLease = () => {
  const sent: ConsumerMessage[] = []
  const publisher: Pick<Publisher, 'publications' | 'sequenceOf' | 'sequenceSince' | 'send' | 'time'> = {
    publications: 4,
    sequenceOf: () => 3,
    sequenceSince: (_, publication) => (publication < 4 ? 3 : undefined),
    send: (_, message) => sent.push(message),
    time: () => 0,
  }
  const proof = { isUnproven: true }
  const onEnd = (): void => undefined
  const lease = new Lease('id', 5_000, () => () => proof.isUnproven, 'inbox', publisher as Publisher, onEnd)
  const position = { run: 'r', count: 4 }
  const topic = { base: '0xaa', topic: 'svc-0xaa', position, currentFrame: () => undefined } as const
  lease.feeds.set('0xaa', topic as never)
  lease.onSubscribe('0xaa')
  const renewed = (since: number): unknown => {
    lease.renew({ type: 'renew', session: 'id', number: 1, since, requests: 1 }, 0)
    return sent.pop()
  }
  return { lease, topic, position, proof, sent, renewed }
}

describe('a lease', () => {
  it('confirms a proven topic with the position of the last price, from which the consumer counts', () => {
    const { lease, topic, position, proof, sent } = createLease()
    lease.confirm(topic)
    proof.isUnproven = false
    lease.confirmWaiting()
    expect(sent).toMatchObject([{ isPending: true }, { isPending: false, position }])
  })

  it('reports a topic after its second confirmation, which may be lost, and not before', () => {
    const { lease, topic, proof, renewed } = createLease()
    lease.confirm(topic)
    expect(renewed(0)).toHaveProperty('sequences', {})
    proof.isUnproven = false
    lease.confirmWaiting()
    expect(renewed(4)).toHaveProperty('sequences', { '0xaa': 3 })
    expect(renewed(5)).toHaveProperty('sequences', {})
  })
})
