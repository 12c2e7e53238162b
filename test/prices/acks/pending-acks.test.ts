import { expect, it, vi } from 'vitest'
import type { Address } from '../../../src/domain/address.js'
import { PendingAcks } from '../../../src/prices/acks/pending-acks.js'
import { TopicTable } from '../../../src/prices/topic-table.js'

const timeouts = { linger: 100, staleAfter: 1000, confirmTimeout: 300 }

/** Pending acks with an uncorrelated error text, and topics that are pending. */
const createPendingAcks = (bases: readonly Address[]) => {
  const topics = new TopicTable()
  const states = bases.map((base) => topics.create(base, `svc-${base}`))
  for (const state of states) state.subscribeSentAt = 0
  const acks = new PendingAcks(topics, timeouts)
  acks.correlate('Error: internal', 0, 'Error: internal')
  const searches = vi.spyOn(topics, 'states', 'get')
  return { states, acks, searches }
}

it('PendingAcks searches the topics once for a pending one, and again when that one is answered', () => {
  const { states, acks, searches } = createPendingAcks(['0xaa', '0xbb'])
  for (let frame = 0; frame < 100; frame++) expect(acks.delaysResubscribes).toBe(true)
  expect(searches).toHaveBeenCalledTimes(1)
  states[0]!.lastActivityAt = 1
  for (let frame = 0; frame < 100; frame++) expect(acks.delaysResubscribes).toBe(true)
  expect(searches).toHaveBeenCalledTimes(2)
  states[1]!.needsResubscribe = true
  expect(acks.delaysResubscribes).toBe(false)
})

it('PendingAcks reads two pending topics for a text without an address, however many are pending', () => {
  const { states, acks, searches } = createPendingAcks(['0xaa', '0xbb', '0xcc', '0xdd'])
  let reads = 0
  searches.mockImplementation(function* () {
    for (const state of states) {
      reads++
      yield state
    }
  })
  expect(acks.correlate('Error: internal', 1, 'Error: internal')).toBeUndefined()
  expect(reads).toBe(2)
})
