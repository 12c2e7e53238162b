import { describe, expect, it } from 'vitest'
import type { DisplayEvent } from '../../src/view/display.js'
import {
  displayAfter,
  healthRead,
  open,
  openBehind,
  statusChanged,
  waiting,
} from '../dashboard/support/events.js'

const after = (...events: readonly DisplayEvent[]) => displayAfter([], events)
const connecting = (at: number) => statusChanged(at, { _tag: 'Connecting', attempt: 1 })
const lost = [open(1000), waiting(3000, 'closed with 1006')]

describe('the connection', () => {
  it('is connecting until the first one is open', () => {
    expect(after().connection.state).toBe('connecting')
    expect(after(connecting(1), healthRead(2, { _tag: 'Up' })).connection.state).toBe('connecting')
    expect(after(connecting(1), open(2)).connection).toMatchObject({ state: 'connected', reason: '' })
  })

  const upBehind = { _tag: 'Up', behindMs: 5234 } as const

  it('is behind when the prices of the service, or of the page, may be too old', () => {
    expect(after(open(1), healthRead(2, upBehind)).connection).toMatchObject({
      state: 'behind',
      behindMs: 5234,
    })
    expect(after(open(1), openBehind(2, 6000)).connection).toMatchObject({ state: 'behind', behindMs: 6000 })
    const caughtUp = after(open(1), openBehind(2, 6000), open(3))
    expect(caughtUp.connection).toMatchObject({ state: 'connected', behindMs: undefined })
  })

  it('is lost, and no longer behind, when the WebSocket closes', () => {
    const lostAt3 = { state: 'connection lost', behindMs: undefined, lostAt: 3000 }
    expect(after(open(1), healthRead(2, upBehind), waiting(3000, 'x')).connection).toMatchObject(lostAt3)
  })

  it('is not lost when the server answers late while the WebSocket is open', () => {
    const late = healthRead(3, { _tag: 'Gone' })
    expect(after(open(1), late).connection).toMatchObject({ state: 'connected', lostAt: undefined })
    expect(after(open(1), healthRead(2, upBehind), late).connection.state).toBe('behind')
    expect(after(open(1), late, waiting(4, 'x')).connection.state).toBe('connection lost')
  })

  it('is lost when the WebSocket closes, before the server answers why', () => {
    expect(after(...lost).connection).toMatchObject({
      state: 'connection lost',
      reason: 'closed with 1006',
      lostAt: 3000,
    })
  })

  it('names the reason of the server that has lost the service', () => {
    const health = { _tag: 'Down', reason: 'connection refused' } as const
    expect(after(...lost, healthRead(4, health)).connection).toMatchObject({
      state: 'service lost',
      reason: 'connection refused',
    })
  })

  it('has stopped when the server does not answer', () => {
    expect(after(...lost, healthRead(4, { _tag: 'Gone' })).connection.state).toBe('dashboard stopped')
  })

  it('is connecting when the server has the service and the WebSocket is still closed', () => {
    const events = [...lost, healthRead(4, { _tag: 'Down', reason: 'x' }), healthRead(5, { _tag: 'Up' })]
    expect(after(...events).connection.state).toBe('connecting')
  })

  it('forgets an answer of the server from before the WebSocket opened', () => {
    expect(after(...lost, healthRead(4, { _tag: 'Gone' }), open(5, 2)).connection.state).toBe('connected')
  })

  it('keeps an answer of the server over further attempts', () => {
    expect(after(...lost, healthRead(4, { _tag: 'Gone' }), connecting(5)).connection.state).toBe(
      'dashboard stopped',
    )
  })

  it('keeps the time at which it opened while it is behind, and not that of another one', () => {
    expect(after(open(1), openBehind(2, 5234)).connection).toMatchObject({
      status: { behindMs: 5234 },
      statusAt: 1,
    })
    expect(after(open(1), openBehind(2, 5234), open(3, 2)).connection.statusAt).toBe(3)
  })

  it('has the last status', () => {
    expect(after(connecting(1)).connection).toMatchObject({
      status: { _tag: 'Connecting', attempt: 1 },
      statusAt: 1,
    })
  })
})
