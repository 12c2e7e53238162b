import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { filter, map, merge, NEVER, of, scan } from 'rxjs'
import type { Depth } from 'svc-streams'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, it } from 'vitest'
import { pageEvent$ } from '../../../src/dashboard/page/events.js'
import type { ServedEvent } from '../../../src/view/served.js'
import { createUpdate, emptyDisplay, type DisplayEvent } from '../../../src/view/display.js'
import { bigintAsText } from '../../../src/base/domain/plain-decimal.js'
import { stale, subscriptionRejected } from '../../../src/base/errors/constructors.js'
import { marbles } from '../../support/time/marbles.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { config, eth } from '../support/tokens.js'

const ethOnly = { ...config, tokens: [eth] }
const up: ServedEvent = { _tag: 'Health', health: { _tag: 'Up' } }
const open = { _tag: 'Open', epoch: 1, since: 0 } as const
const waiting = { _tag: 'Waiting', attempt: 1, retryInMs: 100, reason: 'reset' } as const

const update = createUpdate()

describe('the events of the page', () => {
  it('give the states of a card', () => {
    marbles(({ hot$, expectObservable }) => {
      const silent = left(stale(ethTopic, 30_000, undefined))
      const source$ = hot$('--p--s--p', { p: price(ethTopic, 2500), s: silent })
      const subscribed = '  ^ 99ms !'
      const expected = '    --l--s--l'
      const prices = { [ethTopic]: source$ }
      const client = createTestClient({ prices, status$: NEVER })
      const state$ = pageEvent$(client, ethOnly, NEVER).pipe(
        scan((display, event) => update(display, event as DisplayEvent), emptyDisplay([eth])),
        map(({ tokens }) => tokens[0]?.state),
      )
      expectObservable(state$, subscribed).toBe(expected, { l: 'live', s: 'stale' })
    })
  })

  it('report that the server is gone when it ends or is silent, and connect to it again each second', () => {
    marbles(({ cold$, expectObservable }) => {
      const served$ = cold$<ServedEvent>('h 999ms h 2s |', { h: up })
      const subscribed = '                ^ 4500ms !'
      const expected = '                  u 999ms u 3s (gu)'
      const subscribedSilent = '          ^ 7s !'
      const expectedSilent = '            4s h'
      const client = createTestClient({ status$: NEVER })
      const health$ = pageEvent$(client, { ...config, tokens: [] }, served$).pipe(
        filter((event) => event._tag === 'Health'),
        map(({ health }) => health._tag),
      )
      const values = { u: 'Up', g: 'Gone' }
      const silent$ = pageEvent$(client, { ...config, tokens: [] }, NEVER).pipe(map(({ _tag }) => _tag))
      expectObservable(silent$, subscribedSilent).toBe(expectedSilent, { h: 'Health' })
      expectObservable(health$, subscribed).toBe(expected, values)
    })
  })

  it('request a rejected token again', () => {
    marbles(({ cold$, expectObservable, expectSubscriptions }) => {
      const rejected = left(subscriptionRejected(ethTopic, 'unsupported'))
      const price$ = cold$('(r|)', { r: rejected })
      const client = createTestClient({ prices: { [ethTopic]: price$ }, status$: NEVER })
      const tag$ = pageEvent$(client, ethOnly, NEVER).pipe(
        map(({ _tag }) => _tag),
        filter((tag) => tag === 'Price' || tag === 'End'),
      )
      const subscribed = '^ 40s !'
      const expected = '  (pe) 29996ms (pe)'
      const second = '    30s (^!)'
      expectObservable(tag$, subscribed).toBe(expected, { p: 'Price', e: 'End' })
      expectSubscriptions(price$.subscriptions).toBe(['(^!)', second])
    })
  })

  it('request a rejected token again when the connection is open again', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const price$ = cold$('(r|)', { r: left(subscriptionRejected(ethTopic, 'unsupported')) })
      const status$ = hot$('o 9ms c 9ms o', { o: open, c: waiting })
      const subscribed = '  ^ 99ms !'
      const expected = '    p 19ms p'
      const second = '      20ms (^!)'
      const client = createTestClient({ prices: { [ethTopic]: price$ }, status$ })
      const rejection$ = pageEvent$(client, ethOnly, NEVER).pipe(
        filter(({ _tag }) => _tag === 'Price'),
        map(() => 'p'),
      )
      expectObservable(rejection$, subscribed).toBe(expected)
      expectSubscriptions(price$.subscriptions).toBe(['(^!)', second])
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
      expectSubscriptions(price$.subscriptions).toBe('(^!)')
    })
  })

  it('have the depths of the server with their quantities, and fail while it is gone', () => {
    marbles(({ cold$, expectObservable }) => {
      const client = createTestClient({ prices: { [ethTopic]: NEVER } })
      const { buy } = depth(weth)
      const asText = JSON.parse(JSON.stringify(depth(weth), bigintAsText)) as Depth
      const row: ServedEvent = { _tag: 'Depth', at: 7, mint: weth, event: right(asText) }
      const served$ = cold$<ServedEvent>('-d-#', { d: row })
      const subscribed = '                ^ 1100ms !'
      const expected = '                  -d 1001ms fd'
      const subscribedOnce = '            ^ 1000ms !'
      const expectedOnce = '              -d'
      const depth$ = (depthInterval: number | null) =>
        pageEvent$(client, { ...ethOnly, depthInterval }, served$).pipe(
          filter((event) => event._tag === 'Depth'),
          map(({ event }) => (isLeft(event) ? 'failed' : [event.right.buy, event.right.receivedAt])),
        )
      const values = { d: [buy, 7], f: 'failed' }
      expectObservable(depth$(2000), subscribed).toBe(expected, values)
      expectObservable(depth$(null), subscribedOnce).toBe(expectedOnce, values)
    })
  })
})
