import { Subject } from 'rxjs'
import type { ConnectionStatus } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { behindMsOf, isDown } from '../../../src/base/domain/snapshot.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { Upstream } from '../../../src/gateway/subscriptions/upstream.js'

const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'read ECONNRESET' }
const open: ConnectionStatus = { _tag: 'Open', epoch: 1, since: 0 }

const start = (isDownIn = isDown) => {
  const status$ = new Subject<ConnectionStatus>()
  const log: string[] = []
  const upstream = new Upstream(status$, {
    clock: currentClock(),
    isDown: isDownIn,
    onDown: (text) => log.push(text),
    onUp: () => log.push('up'),
  })
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
    expect(log).toEqual(['the service is down: connection lost', 'up'])
  })

  it('is no outage when a client without topics dials again, until that dial fails', () => {
    const { status$, log, upstream } = start()
    const dial = { _tag: 'Connecting', attempt: 2 } as const
    for (const status of [waiting, dial, open, { _tag: 'Idle' } as const, dial]) status$.next(status)
    expect([upstream.isUp, log]).toEqual([true, ['the service is down: connection lost', 'up']])
    for (const status of [waiting, dial]) status$.next(status)
    expect([upstream.isUp, log.length]).toEqual([false, 3])
  })

  it('says that prices are behind, if that counts as down', () => {
    const { status$, log } = start((status) => behindMsOf(status) !== undefined)
    for (const status of [open, { ...open, behindMs: 5000 }, { ...open, behindMs: 5000 }, open])
      status$.next(status)
    expect(log).toEqual(['the service is down: prices are behind', 'up'])
  })

  it('is down for good when the status completes', () => {
    const { status$, log, upstream } = start()
    status$.complete()
    expect([upstream.isUp, log]).toEqual([
      false,
      ['the service is down: the client of the gateway is closed'],
    ])
  })

  it.each<[ConnectionStatus, string]>([
    [{ ...waiting, reason: "EMFILE: too many open files, open '/srv/ECONNRESET'" }, 'connection lost'],
    [{ ...waiting, reason: 'token=c29tZSBzZWNyZXQ' }, 'connection lost'],
    [{ _tag: 'Connecting', attempt: 2 }, 'the connection is being opened again'],
    [{ _tag: 'Closed' }, 'the client of the gateway is closed'],
  ])('has the reason of the state %j, and no text of it', (status, reason) => {
    const { status$, log, upstream } = start()
    status$.next(status)
    const expected = `the service is down: ${reason}`
    expect([upstream.downText, log]).toEqual([expected, [expected]])
  })
})
