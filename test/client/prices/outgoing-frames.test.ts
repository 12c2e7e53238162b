import { expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/address.js'
import { PendingAcks } from '../../../src/client/prices/acks.js'
import { UnrequestedTopics } from '../../../src/client/prices/outgoing-frames.js'
import { TopicTable } from '../../../src/client/prices/topics.js'

it('stores 10,000 unrequested topics, and more once their frames are taken', () => {
  const topics = new TopicTable()
  const timeouts = { linger: 100, staleAfter: 1000, confirmTimeout: 300 }
  const unrequested = new UnrequestedTopics(topics, new PendingAcks(topics, timeouts))
  const list = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const base: Address = `0x${index.toString(16)}`
      unrequested.onConfirmation({ base, topic: `svc-${base}` }, 0)
    }
  }
  list(30_000)
  expect(unrequested.size).toBe(10_000)
  const frames: string[] = []
  unrequested.takeFrames(Infinity, 0, frames)
  expect(frames).toHaveLength(10_000)
  expect(unrequested.size).toBe(0)
  list(30_000)
  expect(unrequested.size).toBe(10_000)
})
