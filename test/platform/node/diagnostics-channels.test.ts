import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import { publish } from '../../../src/platform/node/diagnostics-channels.js'

describe('publish', () => {
  it('does not build the message if the channel has no subscribers', () => {
    const message = vi.fn()
    publish('svc-streams:connected', message)
    expect(message).not.toHaveBeenCalled()
  })

  it('delivers the message to current subscribers only', () => {
    const received: unknown[] = []
    const listener = (message: unknown, name: string | symbol): void => void received.push([name, message])
    const message = { host: 'prices.example:4000', epoch: 1, connectMs: 2 }
    subscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    unsubscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    expect(received).toEqual([['svc-streams:connected', message]])
  })
})
