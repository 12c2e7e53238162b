import { describe, expect, it, test } from 'vitest'
import type { Card } from '../../../src/dashboard/model/card.js'
import { emptyDashboard, update, type DashboardEvent } from '../../../src/dashboard/model/dashboard.js'
import { depthReason, priceReason } from '../../../src/dashboard/text/reason.js'
import {
  httpError,
  stale,
  subscriptionRejected,
  timeout,
  unauthorized,
} from '../../../src/errors/constructors.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { open, priced, priceFailed } from '../support/events.js'
import { eth } from '../support/tokens.js'

const cardAfter = (...events: readonly DashboardEvent[]): Card =>
  events.reduce(update, emptyDashboard([eth])).cards[0]!

describe('the reason of a card', () => {
  it('is empty while the price is current', () => {
    expect(priceReason(cardAfter(priced(1, 1)))).toBe('')
  })

  it('says what the card waits for', () => {
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
