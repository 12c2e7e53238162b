import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { defer, filter, map, merge, NEVER, of, scan } from 'rxjs'
import type { Depth } from 'svc-streams'
import type { DepthRow } from 'svc-streams/recording'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, it } from 'vitest'
import { pageEvent$ } from '../../src/view/events.js'
import type { ServedStatus } from '../../src/view/served.js'
import { logTexts } from '../../src/view/log-texts.js'
import { createUpdate, emptyDisplay } from '../../src/view/display.js'
import { bigintAsText } from '../../src/base/domain/plain-decimal.js'
import { stale, subscriptionRejected } from '../../src/base/errors/constructors.js'
import { marbles } from '../support/time/marbles.js'
import { ethTopic, weth } from '../support/tokens.js'
import { config, eth } from '../dashboard/support/tokens.js'

const ethOnly = { ...config, tokens: [eth] }
const up$ = of<ServedStatus>({ health: { _tag: 'Up' }, depths: [] })
const open = { _tag: 'Open', epoch: 1, since: 0 } as const
const waiting = { _tag: 'Waiting', attempt: 1, retryInMs: 100, reason: 'reset' } as const

describe('the events of the page', () => {
  it('give the states of a card', () => {
    marbles(({ hot$, expectObservable }) => {
      const silent = left(stale(ethTopic, 30_000, undefined))
      const prices = { [ethTopic]: hot$('--p--s--p', { p: price(ethTopic, 2500), s: silent }) }
      const client = createTestClient({ prices, status$: NEVER })
      const state$ = pageEvent$(client, ethOnly, NEVER).pipe(
        scan(createUpdate(logTexts), emptyDisplay([eth])),
        map(({ tokens }) => tokens[0]?.state),
      )
      //                              '--p--s--p'
      expectObservable(state$).toBe('  --l--s--l', { l: 'live', s: 'stale' })
    })
  })

  it('ask for the health when the WebSocket opens or closes, and every second', () => {
    marbles(({ hot$, expectObservable }) => {
      const status$ = hot$('o 2499ms c 499ms c', { o: open, c: waiting })
      const client = createTestClient({ status$ })
      const health$ = pageEvent$(client, { ...config, tokens: [] }, up$).pipe(map(({ _tag }) => _tag))
      const values = { h: 'Health', s: 'Status' }
      expectObservable(health$, '^ 4000ms !').toBe('(sh) 996ms h 999ms h 499ms (sh) 496ms s 499ms h', values)
    })
  })

  it('do not ask for the health before the last question is answered', () => {
    marbles(({ cold$, expectObservable }) => {
      const slow$ = cold$<ServedStatus>('1500ms (g|)', { g: { health: { _tag: 'Gone' }, depths: [] } })
      const client = createTestClient({})
      const health$ = pageEvent$(client, { ...config, tokens: [] }, slow$).pipe(map(({ _tag }) => _tag))
      expectObservable(health$, '^ 4s !').toBe('s 1499ms h 1999ms h', { h: 'Health', s: 'Status' })
    })
  })

  it('request a rejected token again', () => {
    marbles(({ cold$, expectObservable, expectSubscriptions }) => {
      const rejected = left(subscriptionRejected(ethTopic, 'unsupported'))
      const price$ = cold$('(r|)', { r: rejected })
      const client = createTestClient({ prices: { [ethTopic]: price$ }, status$: NEVER })
      const tag$ = pageEvent$(client, ethOnly, NEVER).pipe(map(({ _tag }) => _tag))
      expectObservable(tag$, '^ 40s !').toBe('(pe) 29996ms (pe)', { p: 'Price', e: 'End' })
      expectSubscriptions(price$.subscriptions).toBe(['(^!)', '30s (^!)'])
    })
  })

  it('request a rejected token again when the connection is open again', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const price$ = cold$('(r|)', { r: left(subscriptionRejected(ethTopic, 'unsupported')) })
      const status$ = hot$('o 9ms c 9ms o', { o: open, c: waiting })
      const client = createTestClient({ prices: { [ethTopic]: price$ }, status$ })
      const rejection$ = pageEvent$(client, ethOnly, NEVER).pipe(
        filter(({ _tag }) => _tag === 'Price'),
        map(() => 'p'),
      )
      expectObservable(rejection$, '^ 99ms !').toBe('p 19ms p')
      expectSubscriptions(price$.subscriptions).toBe(['(^!)', '20ms (^!)'])
    })
  })

  it('do not request a rejected token again when the open connection falls behind and catches up', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const price$ = cold$('(r|)', { r: left(subscriptionRejected(ethTopic, 'unsupported')) })
      const changes$ = hot$('10ms b 9ms o', { b: { ...open, behindMs: 5234 }, o: open })
      const status$ = merge(of(open), changes$)
      const client = createTestClient({ prices: { [ethTopic]: price$ }, status$ })
      const rejection$ = pageEvent$(client, ethOnly, NEVER).pipe(
        filter(({ _tag }) => _tag === 'Price'),
        map(() => 'p'),
      )
      expectObservable(rejection$, '^ 99ms !').toBe('p')
      expectSubscriptions(price$.subscriptions).toBe(['(^!)'])
    })
  })

  it('have each depth of the server once, with its quantities, and fail if the server does not answer', () => {
    marbles(({ expectObservable }) => {
      const client = createTestClient({ prices: { [ethTopic]: NEVER } })
      const { buy, sell } = depth(weth)
      const asText = JSON.stringify({ ...depth(weth), buy, sell }, bigintAsText)
      const row = (at: number): DepthRow => ({
        ...{ _tag: 'Depth', at, mint: weth, event: right(JSON.parse(asText) as Depth) },
      })
      const event$ = (depthInterval: number | null, ...answers: (readonly DepthRow[] | undefined)[]) => {
        const served$ = defer(() => {
          const depths = answers.shift()
          if (depths === undefined) throw new Error('reset')
          return of<ServedStatus>({ health: { _tag: 'Up' }, depths })
        })
        return pageEvent$(client, { ...ethOnly, depthInterval }, served$).pipe(
          filter((event) => event._tag === 'Depth'),
          map(({ event }) => (isLeft(event) ? 'failed' : [event.right.buy, event.right.receivedAt])),
        )
      }
      const values = { a: [buy, 1], f: 'failed', b: [buy, 9] }
      const failing$ = event$(2000, [], [row(1)], [row(1)], undefined, [row(1)], [row(9)])
      expectObservable(failing$, '^ 5s !').toBe('1s a 1999ms f 999ms a 999ms b', values)
      expectObservable(event$(null, []), '^ 5s !').toBe('--')
    })
  })
})
