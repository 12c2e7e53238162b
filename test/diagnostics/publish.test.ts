import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import { publish } from '../../src/diagnostics/publish.js'

describe('publish', () => {
  it('makes no message while nobody listens', () => {
    const message = vi.fn()
    publish('svc-streams:connected', message)
    expect(message).not.toHaveBeenCalled()
  })

  it('tells who listens, until they no longer do', () => {
    const told: unknown[] = []
    const listener = (message: unknown, name: string | symbol): void => void told.push([name, message])
    const message = { host: 'prices.example:4000', epoch: 1, connectMs: 2 }
    subscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    unsubscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    expect(told).toEqual([['svc-streams:connected', message]])
  })
})
