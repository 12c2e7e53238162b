import { Subject } from 'rxjs'
import type { ConnectionStatus } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { Upstream } from '../../../src/gateway/demand/upstream.js'

const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'reset' }
const open: ConnectionStatus = { _tag: 'Open', epoch: 1, since: 0 }

const start = () => {
  const status$ = new Subject<ConnectionStatus>()
  const log: string[] = []
  const upstream = new Upstream<string>({
    onDown: (reason) => log.push(`down: ${reason}`),
    onUp: () => log.push('up'),
  })
  upstream.start({ status$ })
  return { status$, log, upstream }
}

describe('the connection to the service', () => {
  it.each<[string, ConnectionStatus, boolean]>([
    ['Idle', { _tag: 'Idle' }, true],
    ['the first attempt', { _tag: 'Connecting', attempt: 1 }, true],
    ['a further attempt', { _tag: 'Connecting', attempt: 2 }, false],
    ['Open', open, true],
    ['Waiting', waiting, false],
    ['Closed', { _tag: 'Closed' }, false],
  ])('in the state %s', (_, status, isUp) => {
    const { status$, upstream } = start()
    status$.next(status)
    expect([upstream.isUp, upstream.status]).toEqual([isUp, status])
  })

  it('is reported down with its reason, and up, once each', () => {
    const { status$, log } = start()
    for (const status of [waiting, { _tag: 'Connecting', attempt: 2 } as const, waiting, open, open])
      status$.next(status)
    expect(log).toEqual(['down: reset', 'up'])
  })

  it('is down while a stream is disconnected: until the stream or the connection returns', () => {
    const { status$, log, upstream } = start()
    status$.next(open)
    upstream.onDisconnected('a', 'lost')
    upstream.onDisconnected('b', 'lost too')
    upstream.onConnected('a')
    expect(upstream.isUp).toBe(false)
    upstream.onConnected('b')
    upstream.onDisconnected('a', 'again')
    status$.next(open)
    expect(log).toEqual(['down: lost', 'up', 'down: again', 'up'])
  })

  it('is down for good when the status completes', () => {
    const { status$, log, upstream } = start()
    status$.complete()
    expect([upstream.isUp, log]).toEqual([false, ['down: the client of the gateway is closed']])
  })
})
