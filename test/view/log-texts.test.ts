import { describe, expect, it } from 'vitest'
import type { DisplayEvent } from '../../src/view/display.js'
import {
  disconnected,
  httpError,
  stale,
  subscriptionRejected,
  timeout,
  uncorrelatedError,
} from '../../src/base/errors/constructors.js'
import { btcTopic, ethTopic, wbtc } from '../support/tokens.js'
import {
  depthFailed,
  depthRead,
  displayAfter,
  healthRead,
  open,
  openBehind,
  priced,
  priceFailed,
  statusChanged,
  waiting,
} from '../dashboard/support/events.js'
import { btc, eth } from '../dashboard/support/tokens.js'

const logOf = (...events: readonly DisplayEvent[]) =>
  displayAfter([eth, btc], events).log.map(({ symbols, text }) => [...symbols, text])

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

describe('the event log of the connection', () => {
  const texts = (...events: readonly DisplayEvent[]) => displayAfter([], events).log.map(({ text }) => text)
  const connecting = (at: number) => statusChanged(at, { _tag: 'Connecting', attempt: 1 })
  const lost = [open(1000), waiting(3000, 'closed with 1006')]

  it('has how far behind the prices are, once, and that they are current again', () => {
    expect(texts(open(1), openBehind(2, 5234), openBehind(3, 6000), open(4))).toEqual([
      'The prices are current again.',
      'The prices are 5.2 s behind, and are held until they are current.',
      'Connected to the service.',
    ])
  })

  it('has one entry for each change of the connection, the newest first', () => {
    const gone = [healthRead(3001, { _tag: 'Gone' }), healthRead(5000, { _tag: 'Gone' })] as const
    expect(texts(connecting(1), ...lost, ...gone, open(63_000, 2))).toEqual([
      'Connected again after 1 min 00 s.',
      'The server of this page does not answer. Start it again: npx svc-streams dashboard',
      'Connected to the service.',
    ])
    expect(texts(...lost, healthRead(3001, { _tag: 'Down', reason: 'connection refused' }))[0]).toBe(
      'Service lost, connecting again: connection refused.',
    )
    expect(texts(...lost, healthRead(3001, { _tag: 'Up' }))[0]).toBe(
      'Connection lost, connecting again: closed with 1006.',
    )
  })
})
