import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PriceError } from 'svc-streams'
import { priceReason } from '../../src/view/card-texts.js'
import type { DisplayEvent } from '../../src/view/display.js'
import {
  clientClosed,
  decodeError,
  disconnected,
  invalidTopic,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  uncorrelatedError,
} from '../../src/base/errors/constructors.js'
import {
  depthFailed,
  depthRead,
  displayAfter,
  healthRead,
  open,
  priced,
  priceEnded,
  priceFailed,
  waiting,
} from '../dashboard/support/events.js'
import { btc, eth } from '../dashboard/support/tokens.js'
import { errors } from '../base/errors/support/arbitraries.js'
import { ethTopic } from '../support/tokens.js'

const tokenAfter = (...events: readonly DisplayEvent[]) => displayAfter([eth, btc], events).tokens[0]!

const down = disconnected({ code: 1006, reason: 'reset', attempt: 1, retryInMs: 100 })
const unreadable = decodeError('frame', 'x', [{ path: 'price', expected: 'a number', actual: 'null' }])

describe('the state of a token', () => {
  it('is waiting before the first event', () => {
    expect(tokenAfter()).toMatchObject({ state: 'waiting', price: undefined })
  })

  it.each<[string, PriceError]>([
    ['stale', stale(ethTopic, 30_000, undefined)],
    ['down', down],
    ['down', clientClosed],
    ['rejected', subscriptionRejected(ethTopic, 'unsupported')],
    ['rejected', invalidTopic('svc-0x', 'svc')],
    ['waiting', subscriptionTimeout(ethTopic, 10_000, [])],
    ['stale', unreadable],
  ])('is %s after the error %j, and keeps the last price', (state, error) => {
    expect(tokenAfter(priced(1, 2500), priceFailed(2, error))).toMatchObject({
      state,
      stateSince: 2,
      price: { price: 2500 },
    })
  })

  it('is waiting after an unreadable first message', () => {
    expect(tokenAfter(priceFailed(1, unreadable)).state).toBe('waiting')
  })

  it('is live with each price, since the first one', () => {
    const token = tokenAfter(priceFailed(1, down), priced(2, 2500), priced(3, 2501))
    expect(token).toMatchObject({
      state: 'live',
      stateSince: 2,
      price: { price: 2501 },
      priceError: undefined,
    })
  })

  it('is stale when the service is behind, with its reason, until the next price', () => {
    const behind = (at: number) => healthRead(at, { _tag: 'Up', behindMs: 5234 })
    const held = tokenAfter(priced(100, 2500), behind(300))
    expect(held).toMatchObject({ state: 'stale', stateSince: 300, price: { price: 2500 } })
    expect(priceReason(held)).toBe('the prices are behind')
    expect(tokenAfter(priced(100, 2500), behind(300), priced(350, 2501)).state).toBe('live')
    expect(tokenAfter(behind(300)).state).toBe('waiting')
    expect(tokenAfter(priced(100, 2500), priceFailed(200, down), behind(300)).state).toBe('down')
    // No price arrives because the prices are held.
    const silent = priceFailed(400, stale(ethTopic, 300, undefined))
    const silentWhileHeld = tokenAfter(priced(100, 2500), behind(300), silent, behind(500))
    expect(silentWhileHeld).toMatchObject({ state: 'stale', stateSince: 300 })
    expect(priceReason(silentWhileHeld)).toBe('the prices are behind')
  })

  it('stays stale when the service has caught up, until the server has sent the price again', () => {
    const behind = healthRead(300, { _tag: 'Up', behindMs: 5234 })
    const caughtUp = [priced(100, 2500), behind, healthRead(400, { _tag: 'Up' })]
    expect(tokenAfter(...caughtUp).state).toBe('stale')
    expect(tokenAfter(...caughtUp, priced(401, 2500)).state).toBe('live')
  })

  it('is stale when the connection of the page is behind', () => {
    const token = tokenAfter(priced(1, 2500), priceFailed(2, stale(ethTopic, 20, undefined, 5234)))
    expect([token.state, priceReason(token)]).toEqual(['stale', 'the prices are behind'])
  })

  it('is waiting when the connection is open again, until the next event of the token', () => {
    const events = [priced(1, 2500), waiting(2, 'reset'), priceFailed(2, down), open(5, 2)]
    expect(tokenAfter(...events)).toMatchObject({ state: 'waiting', stateSince: 5, price: { price: 2500 } })
    expect(tokenAfter(...events, priced(6, 2501)).state).toBe('live')
  })

  it('stays stale or rejected when the connection is open again', () => {
    expect(tokenAfter(priceFailed(1, stale(ethTopic, 30_000, undefined)), open(2)).state).toBe('stale')
    expect(tokenAfter(priceFailed(1, subscriptionRejected(ethTopic, 'no')), open(2)).state).toBe('rejected')
  })

  it('is down when the connection is lost, also if it was rejected', () => {
    const rejected = priceFailed(1, subscriptionRejected(ethTopic, 'no'))
    expect(tokenAfter(rejected, waiting(2, 'reset'))).toMatchObject({ state: 'down', stateSince: 2 })
    expect(priceReason(tokenAfter(rejected, waiting(2, 'reset')))).toBe('the connection is down')
  })

  it('shows the last depth or the error after it, whatever the price', () => {
    const failed = tokenAfter(
      depthRead(1),
      depthFailed(2, { _tag: 'Timeout', message: 'late', afterMs: 5000 }),
    )
    expect(failed).toMatchObject({ state: 'waiting', depth: { price: 1 }, depthError: { _tag: 'Timeout' } })
    expect(tokenAfter(depthRead(1)).depthError).toBeUndefined()
    const late = depthFailed(2, { _tag: 'Timeout', message: 'late', afterMs: 5000 })
    expect(tokenAfter(depthRead(1), late, depthRead(3)).depthError).toBeUndefined()
  })

  it('is live exactly after a price, until an error or the loss of the connection', () => {
    const priceErrors = fc.oneof(
      ...(['Stale', 'Disconnected', 'SubscriptionRejected', 'DecodeError', 'ClientClosed'] as const).map(
        (tag) => errors[tag],
      ),
    )
    const event: fc.Arbitrary<(at: number) => DisplayEvent> = fc.oneof(
      fc.constant((at: number) => priced(at, at + 1)),
      priceErrors.map((error) => (at: number) => priceFailed(at, error as PriceError)),
      fc.constant((at: number) => open(at)),
      fc.constant((at: number) => waiting(at, 'reset')),
      fc.constant((at: number) => depthRead(at)),
    )
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const rows = events.map((create, at) => create(at))
        const isLost = (row: DisplayEvent) => row._tag === 'Status' && row.status._tag === 'Waiting'
        const last = rows.findLast((row) => row._tag === 'Price' || isLost(row))
        expect(tokenAfter(...rows).state === 'live').toBe(
          last?._tag === 'Price' && last.event._tag === 'Right',
        )
      }),
    )
  })

  it('ignores the events of other tokens', () => {
    expect(tokenAfter(priced(1, 61_000, btc.address)).state).toBe('waiting')
    expect(tokenAfter(priced(1, 1, '0xdead')).state).toBe('waiting')
  })

  it('takes the events of its address in any case', () => {
    const upper = `0x${eth.address.slice(2).toUpperCase()}` as const
    expect(tokenAfter(priced(1, 2500, upper)).state).toBe('live')
  })

  it('is rejected again when the connection is open again, if its stream has ended', () => {
    const error = subscriptionRejected(ethTopic, 'no')
    const ended = [priceFailed(1, error), priceEnded(1), waiting(2, 'reset')]
    expect(tokenAfter(...ended).state).toBe('down')
    expect(tokenAfter(...ended, open(3))).toMatchObject({ state: 'rejected', priceError: error })
    expect(tokenAfter(...ended, open(3), priced(4, 1), waiting(5, 'reset'), open(6)).state).toBe('waiting')
  })

  it('has the change from the price before, across errors', () => {
    expect(tokenAfter(priced(1, 2)).change).toBeUndefined()
    expect(tokenAfter(priced(1, 2), priced(2, 2.5)).change).toBe(0.5)
    expect(tokenAfter(priced(1, 2), priceFailed(2, down), priced(3, 3)).change).toBe(1)
  })

  it('ignores ends of other streams, and messages of no token', () => {
    const uncorrelated = { _tag: 'Uncorrelated', at: 1, error: uncorrelatedError('malformed', '') } as const
    const others = [priceEnded(1), priceEnded(1, '0xdead'), priced(1, 1, '0xdead'), uncorrelated]
    expect(displayAfter([eth, btc], others).tokens).toEqual(displayAfter([eth, btc], []).tokens)
  })
})
