import { expect, it } from 'vitest'
import type { Address } from '../../../src/domain/address.js'
import { Orphans } from '../../../src/prices/acks/orphans.js'
import { PendingAcks } from '../../../src/prices/acks/pending-acks.js'
import { TopicTable } from '../../../src/prices/topic-table.js'

it('Orphans stores 10,000 topics, and more once their frames are taken', () => {
  const topics = new TopicTable()
  const timeouts = { linger: 100, staleAfter: 1000, confirmTimeout: 300 }
  const orphans = new Orphans(topics, new PendingAcks(topics, timeouts))
  const list = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const base: Address = `0x${index.toString(16)}`
      orphans.onConfirmation({ base, topic: `svc-${base}` }, 0)
    }
  }
  list(30_000)
  expect(orphans.size).toBe(10_000)
  const frames: string[] = []
  orphans.takeFrames(Infinity, 0, frames)
  expect(frames).toHaveLength(10_000)
  expect(orphans.size).toBe(0)
  list(30_000)
  expect(orphans.size).toBe(10_000)
})
