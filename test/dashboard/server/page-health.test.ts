import type { Observable } from 'rxjs'
import type { PriceClient } from 'svc-streams'
import { test } from 'vitest'
import { pageHealth$ } from '../../../src/dashboard/server/page-health.js'
import type { ConnectionStatus } from '../../../src/base/domain/snapshot.js'
import type { Health } from '../../../src/view/connection.js'
import { marbles } from '../../support/time/marbles.js'

const open = { _tag: 'Open', epoch: 1, since: 0 } as const
const up: Health = { _tag: 'Up' }

const values: Readonly<Record<string, ConnectionStatus>> = {
  c: { _tag: 'Connecting', attempt: 1 },
  o: open,
  w: { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'refused' },
  d: { _tag: 'Connecting', attempt: 2 },
  b: { ...open, behindMs: 5234 },
  l: { ...open, behindMs: 6000 },
}

const healthOf = (status$: Observable<ConnectionStatus>): Observable<Health> =>
  pageHealth$({ status$ } as Pick<PriceClient, 'status$'>, 'closed')

test('the health of a page is reported each second, and keeps the reason until the connection is open', () => {
  marbles(({ cold$, expectObservable }) => {
    const status$ = cold$('c 9ms o 1499ms w 99ms d 99ms o 9ms |', values)
    const expected = '     u 9ms u 999ms u 499ms r 199ms u 9ms (e'
    const states = {
      u: up,
      r: { _tag: 'Down', reason: 'refused' },
      e: { _tag: 'Down', reason: 'closed', isOver: true },
    } as const
    expectObservable(healthOf(status$), '^ 1730ms !').toBe(`${expected})`, states)
  })
})

test('the health of a page has the age of the prices while they are behind', () => {
  marbles(({ cold$, expectObservable }) => {
    const status$ = cold$('  b 99ms l 99ms o 99ms b', values)
    const expected = '       (ua) 96ms b 99ms u 99ms a 999ms a'
    const states = { u: up, a: { ...up, behindMs: 5234 }, b: { ...up, behindMs: 6000 } }
    expectObservable(healthOf(status$), '^ 1350ms !').toBe(expected, states)
  })
})
