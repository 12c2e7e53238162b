import { describe, expect, it, test } from 'vitest'
import { changeOf, depthReason, priceReason, spanText } from '../../src/view/card-texts.js'
import type { DisplayEvent } from '../../src/view/display.js'
import type { TokenState } from '../../src/view/token-state.js'
import {
  httpError,
  stale,
  subscriptionRejected,
  timeout,
  unauthorized,
} from '../../src/base/errors/constructors.js'
import { ethTopic, weth } from '../support/tokens.js'
import { displayAfter, open, priced, priceFailed } from '../dashboard/support/events.js'
import { eth } from '../dashboard/support/tokens.js'

const cardAfter = (...events: readonly DisplayEvent[]): TokenState => displayAfter([eth], events).tokens[0]!

describe('the reason of a card', () => {
  it('is empty while the price is current', () => {
    expect(priceReason(cardAfter(priced(1, 1)))).toBe('')
  })

  it('names what the card waits for', () => {
    expect(priceReason(cardAfter())).toBe('waiting for the first price')
    const down = {
      _tag: 'Disconnected',
      message: '',
      code: 1006,
      reason: '',
      attempt: 1,
      retryInMs: 1,
    } as const
    expect(priceReason(cardAfter(priced(1, 1), priceFailed(2, down), open(3)))).toBe(
      'waiting for a new price',
    )
  })

  it('is the text of the service for a rejected token, on one line and with a short address', () => {
    const error = subscriptionRejected(ethTopic, `Unsupported\u0007\ntoken ${weth}`)
    expect(priceReason(cardAfter(priceFailed(1, error)))).toBe('Unsupported token 0x82af\u2026bab1')
  })

  it('names silence', () => {
    expect(priceReason(cardAfter(priceFailed(1, stale(ethTopic, 1, undefined))))).toBe(
      'the service sends no price',
    )
  })
})

test('depthReason is short', () => {
  const errors = [httpError(503, 'busy', undefined), timeout(5000), unauthorized('no')] as const
  expect(errors.map(depthReason)).toEqual(['HTTP 503', 'no answer', 'not authorized'])
})

test('changeOf has a direction and a sign, unless the change is 0 after rounding', () => {
  const change = (price: number, from: number) => changeOf((price / from - 1) * 100)
  expect(change(101, 100)).toEqual({ direction: 'up', text: '+1.00 %' })
  expect(change(99.5, 100)).toEqual({ direction: 'down', text: '-0.50 %' })
  expect(change(100.001, 100)).toEqual({ direction: 'flat', text: '0.00 %' })
  expect(change(1e9, 1)).toEqual({ direction: 'up', text: '+1.0e+11 %' })
})

test('spanText is in seconds below a minute, in minutes, for an hour and from two hours on in hours', () => {
  expect([10_999, 60_000, 300_000, 3_600_000, 7_199_999, 7_200_000].map(spanText)).toEqual([
    ...['in 10 s', 'in 1 min', 'in 5 min', 'in 1 h', 'in 119 min', 'in 2 h'],
  ])
})
