import { describe, expect, it } from 'vitest'
import { TopicUpdatesTable } from '../../../src/nats/client/topic-updates.js'

const base = '0xa'

/** A table with one topic, and the number of times that NATS was unsubscribed from. */
const createTable = () => {
  const table = new TopicUpdatesTable()
  const left: number[] = []
  const request = (number: number): void =>
    table.request(base, number, () => ({ unsubscribe: () => void left.push(number) }) as never)
  return { table, left, request }
}

describe('the updates of a topic', () => {
  it('are ignored before the confirmation, which has the price that they lead to', () => {
    const { table, request } = createTable()
    request(1)
    expect(table.onUpdate(base, 7)).toBe('ignore')
    expect(table.onConfirmed(base, 1, 7)).toBe('deliver')
    expect(table.onUpdate(base, 8)).toBe('deliver')
  })

  it('are delivered once and in order, and a missing one is a gap', () => {
    const { table, request } = createTable()
    request(1)
    table.onConfirmed(base, 1, 0)
    expect([1, 2, 2, 1, 3, 5, 4].map((sequence) => table.onUpdate(base, sequence))).toEqual([
      'deliver',
      'deliver',
      'ignore',
      'ignore',
      'deliver',
      'gap',
      'deliver',
    ])
  })

  it('are missing if a heartbeat has a later number than the last', () => {
    const { table, request } = createTable()
    request(1)
    expect(table.onHeartbeat(base, 3)).toBe('ignore')
    table.onConfirmed(base, 1, 3)
    expect(table.onHeartbeat(base, 3)).toBe('ignore')
    expect(table.onHeartbeat(base, 4)).toBe('gap')
    expect(table.onHeartbeat('0xb', 4)).toBe('ignore')
  })

  it('are complete until the last proof before a message of their topic', () => {
    const { table, request } = createTable()
    table.onProof(100)
    request(1)
    table.onConfirmed(base, 1, 3)
    table.onProof(200)
    expect(table.newestAt(base)).toBe(100)
    table.onHeartbeat(base, 3)
    expect(table.newestAt(base)).toBe(200)
    table.onProof(300)
    table.onProof(0)
    table.onHeartbeat(base, 4)
    expect(table.newestAt(base)).toBe(200)
    table.onUpdate(base, 4)
    expect(table.newestAt(base)).toBe(300)
    expect(table.newestAt('0xb')).toBeUndefined()
  })

  it('are missing if a proof is later than the first confirmation and the further one has not arrived', () => {
    const { table, request } = createTable()
    request(1)
    table.onConfirmed(base, 1, 3, 100)
    expect(table.onUpdate(base, 4)).toBe('ignore')
    expect([table.onProof(100), table.onProof(101)]).toEqual([undefined, base])
    table.onConfirmed(base, 1, 3)
    expect(table.onProof(101)).toBeUndefined()
    expect(table.onUpdate(base, 4)).toBe('deliver')
  })

  it('are delivered although an earlier subscription is rejected; the rejection of this one ends it', () => {
    const { table, left, request } = createTable()
    request(1)
    table.remove(base)
    request(3)
    expect(table.onRejected(base, 1)).toBe(false)
    expect(table.onConfirmed(base, 3, 6)).toBe('deliver')
    expect(left).toEqual([1])
    expect(table.onRejected(base, 3)).toBe(true)
    expect(left).toEqual([1, 3])
  })

  it('of an earlier subscription are not taken for those of a later one', () => {
    const { table, left, request } = createTable()
    request(1)
    table.remove(base)
    expect(left).toEqual([1])
    request(2)
    expect(table.onConfirmed(base, 1, 3)).toBe('foreign')
    expect(table.onUpdate(base, 4)).toBe('ignore')
    expect(table.onConfirmed(base, 2, 6)).toBe('deliver')
    expect(table.onUpdate(base, 7)).toBe('deliver')
  })

  it('are compared with a repeated confirmation, whose price is not delivered again', () => {
    const { table, request } = createTable()
    request(1)
    table.onConfirmed(base, 1, 3)
    request(2)
    expect(table.onConfirmed(base, 2, 3)).toBe('ignore')
    request(3)
    expect(table.onConfirmed(base, 3, 4)).toBe('gap')
  })

  it('end with the session', () => {
    const { table, left, request } = createTable()
    request(1)
    table.onConfirmed(base, 1, 3)
    table.clear()
    expect(left).toEqual([1])
    expect(table.onUpdate(base, 4)).toBe('ignore')
  })
})
