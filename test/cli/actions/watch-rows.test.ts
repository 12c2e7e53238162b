import { left, right } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { watchRows$ } from '../../../src/cli/actions/watch-rows.js'
import { subscriptionRejected, uncorrelatedError } from '../../../src/errors/constructors.js'
import { marbles } from '../../support/time/marbles.js'

const a = price('svc-0xaa', 1)
const deep = depth('0xaa', {})
const refused = left(subscriptionRejected('svc-0xbb', 'no'))
const odd = uncorrelatedError('malformed', '')
const idle = { _tag: 'Idle' } as const

const priced = (at: number, topic: string, event: unknown) => ({ _tag: 'Price', at, topic, event })
const ended = (at: number, of: string) => ({ _tag: 'End', at, of })

test('emits all events with their time until all price streams have completed', () => {
  marbles(({ hot, expectObservable }) => {
    const client = createTestClient({
      prices: { 'svc-0xaa': hot('-a-------|', { a }), 'svc-0xbb': hot('--(l|)', { l: refused }) },
      depths: { '0xaa': hot('------d---', { d: deep }), '0xbb': NEVER },
      errors$: hot('-------e--e', { e: odd }),
      status$: hot('--------s-s', { s: idle }),
    })
    expectObservable(watchRows$({ client, depthClient: client }, ['0xaa', '0xbb'], 1000)).toBe(
      '-a(lm)des(z|)',
      {
        a: priced(1, 'svc-0xaa', right(a)),
        l: priced(2, 'svc-0xbb', refused),
        m: ended(2, 'svc-0xbb'),
        d: { _tag: 'Depth', at: 6, mint: '0xaa', event: right(deep) },
        e: { _tag: 'Uncorrelated', at: 7, error: odd },
        s: { _tag: 'Status', at: 8, status: idle },
        z: ended(9, 'svc-0xaa'),
      },
    )
  })
})

test('requests no depth without a depth client', () => {
  marbles(({ hot, expectObservable }) => {
    const client = createTestClient({
      prices: { 'svc-0xaa': hot('--a', { a }) },
      depths: { '0xaa': hot('-d', { d: deep }) },
      status$: NEVER,
    })
    expectObservable(watchRows$({ client, depthClient: undefined }, ['0xaa'], 1000)).toBe('--a', {
      a: priced(2, 'svc-0xaa', right(a)),
    })
  })
})

test('completes immediately if all price streams do', () => {
  marbles(({ expectObservable }) => {
    const client = createTestClient({ status$: NEVER })
    const rows$ = watchRows$({ client, depthClient: undefined }, ['0xaa'], 1000)
    expectObservable(rows$).toBe('(rz|)', {
      r: priced(0, 'svc-0xaa', expect.objectContaining({ _tag: 'Left' })),
      z: ended(0, 'svc-0xaa'),
    })
  })
})
