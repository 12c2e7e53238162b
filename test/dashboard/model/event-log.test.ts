import { describe, expect, it } from 'vitest'
import { emptyDashboard, update, type DashboardEvent } from '../../../src/dashboard/model/dashboard.js'
import { appended, type LogEntry } from '../../../src/dashboard/model/event-log.js'
import {
  disconnected,
  httpError,
  stale,
  subscriptionRejected,
  timeout,
  uncorrelatedError,
} from '../../../src/errors/constructors.js'
import { btcTopic, ethTopic, wbtc } from '../../support/tokens.js'
import { depthFailed, depthRead, open, priced, priceFailed } from '../support/events.js'
import { btc, eth } from '../support/tokens.js'

const logOf = (...events: readonly DashboardEvent[]) =>
  events.reduce(update, emptyDashboard([eth, btc])).log.map(({ symbols, text }) => [...symbols, text])

describe('the event log', () => {
  it('names the tokens that are silent, and those that are current again', () => {
    expect(
      logOf(priced(1, 1), priceFailed(30_000, stale(ethTopic, 30_000, undefined)), priced(45_000, 1)),
    ).toEqual([
      ['ETH', 'current again after 15 s.'],
      ['ETH', 'no price for 30 s.'],
    ])
  })

  it('merges the same event of several tokens', () => {
    expect(
      logOf(
        priceFailed(30_000, stale(ethTopic, 30_000, undefined)),
        priceFailed(30_001, stale(btcTopic, 30_000, undefined), wbtc),
      ),
    ).toEqual([['ETH', 'BTC', 'no price for 30 s.']])
  })

  it('has the text of the service for a rejected token once, with a short address', () => {
    const error = subscriptionRejected(ethTopic, `Unsupported token ${eth.address}`)
    expect(logOf(priceFailed(1, error), priceFailed(60_000, error))).toEqual([
      ['ETH', 'rejected by the service: Unsupported token 0x82af…bab1.'],
    ])
  })

  it('has no entry per token for a lost connection', () => {
    const down = disconnected({ code: 1006, reason: 'reset', attempt: 1, retryInMs: 100 })
    expect(logOf(priced(1, 1), priceFailed(2, down), priced(3, 1))).toEqual([])
  })

  it('has no entry per token for prices that are behind', () => {
    const behind = stale(ethTopic, 20, undefined, 5234)
    expect(logOf(priced(1, 1), priceFailed(2, behind), priced(3, 1))).toEqual([])
  })

  it('has an entry when depth fails, when it fails otherwise, and when it is back', () => {
    const late = timeout(5000)
    expect(
      logOf(
        open(0),
        depthFailed(1, late),
        depthFailed(2, late),
        depthFailed(3, httpError(503, 'busy', undefined)),
        depthRead(4),
      ),
    ).toEqual([
      ['ETH', 'depth is available again.'],
      ['ETH', 'depth is not available: status 503: busy.'],
      ['ETH', `depth is not available: ${late.message}.`],
      ['Connected to the service.'],
    ])
  })

  it('has no entry for depth that fails and returns with the connection', () => {
    expect(logOf(depthFailed(1, timeout(5000)), depthRead(2))).toEqual([])
  })

  it('has messages that match no token', () => {
    const error = uncorrelatedError('error-text', 'Invalid request')
    expect(logOf({ _tag: 'Uncorrelated', at: 1, error })).toEqual([
      [`A message of the service matches no token: ${error.message}.`],
    ])
  })
})

describe('appended', () => {
  const text = (value: string) => ({ tone: 'bad', text: value }) as const

  it('keeps the newest 100 entries, each with its own id', () => {
    const log = Array.from({ length: 150 }, (_, index) => index).reduce<readonly LogEntry[]>(
      (entries, index) => appended(entries, index, text(`event ${index}`)),
      [],
    )
    expect(log).toHaveLength(100)
    expect(log[0]).toMatchObject({ id: 150, text: 'event 149' })
    expect(new Set(log.map(({ id }) => id)).size).toBe(100)
  })

  it('does not merge events that are far apart', () => {
    const log = appended(appended([], 0, text('silent'), 'ETH'), 5000, text('silent'), 'BTC')
    expect(log.map(({ symbols }) => symbols)).toEqual([['BTC'], ['ETH']])
  })
})
