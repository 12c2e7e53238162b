import { expect, it, vi } from 'vitest'
import { publish } from '../../src/nats/publish.js'

/** A connection of the NATS client: it throws if it is closed, or a message exceeds 10 bytes. */
const connect = ({ isClosed = false, hasInfo = true } = {}) => {
  const published: (readonly [string, string | undefined])[] = []
  const reconnect = vi.fn()
  const connection = {
    info: hasInfo ? { max_payload: 10 } : undefined,
    isClosed: () => isClosed,
    reconnect,
    publish: (_subject: string, bytes: Buffer, { reply }: { reply?: string } = {}) => {
      if (isClosed || (hasInfo && bytes.length > 10)) throw new Error('refused')
      published.push([bytes.toString(), reply])
    },
  } as unknown as Parameters<typeof publish>[0]
  return { connection, published, reconnect }
}

it.each(['', '0123456789', 'äöüäö', '€€€'])('publishes %j, whose size is max_payload at most', (text) => {
  const { connection, published } = connect()
  expect(publish(connection, 'subject', text, 'reply')).toBe(true)
  expect(published).toEqual([[text, 'reply']])
})

it.each(['0123456789a', 'äöüäöü', '€€€€', '0123456789'.repeat(1_000)])(
  'returns false for a longer text, instead of throwing: %j',
  (text) => {
    const { connection, published } = connect()
    expect(publish(connection, 'subject', text)).toBe(false)
    expect(published).toEqual([])
  },
)

it('returns false if the connection is closed, and publishes any text before the server has announced a limit', () => {
  expect(publish(connect({ isClosed: true }).connection, 'subject', 'text')).toBe(false)
  expect(publish(connect({ hasInfo: false }).connection, 'subject', '0123456789a')).toBe(true)
})

it('connects again if the server refuses a text that each session needs, because its limit may have been raised', () => {
  const { connection, reconnect } = connect()
  publish(connection, 'subject', '0123456789'.repeat(52))
  expect(reconnect).not.toHaveBeenCalled()
  publish(connection, 'subject', '0123456789'.repeat(51))
  expect(reconnect).toHaveBeenCalledOnce()
})
