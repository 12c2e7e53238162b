import { right } from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { rowAddress, rowJson, rowLine, statusText, withToken } from '../../../src/cli/render/rows.js'
import { numberFormat } from '../../../src/cli/render/terminal.js'
import { createTokenNames } from '../../../src/cli/target/token-names.js'
import {
  disconnected,
  stale,
  unauthorized,
  uncorrelatedError,
} from '../../../src/base/errors/constructors.js'
import { decodeRow, encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { depthFailure, depthRow, priceFailure, priceRow, rowTime, statusRow } from '../support/rows.js'

/** As elsewhere than on a terminal. */
const plain = numberFormat({})

describe('an event as a line', () => {
  const names = createTokenNames([{ address: '0xab', symbol: 'ETH', decimals: 2 }])
  const down = disconnected({ code: 1006, reason: 'reset', attempt: 1, retryInMs: 250 })

  test('prints one line per event, with unrounded numbers', () => {
    const rows = [
      priceRow('svc-0xAB', 2682.505),
      priceRow('svc-0xcd', 1e-7),
      priceFailure('svc-0xab', stale('svc-0xab', 30_000, undefined)),
      priceFailure('svc-0xab', down),
      depthRow('0xab', 12_345n, 5n),
      depthRow('0xcd', 12_345n, 5n),
      depthFailure('0xab', unauthorized('no')),
      { _tag: 'End', at: rowTime, of: 'svc-0xab' } as const,
      { _tag: 'End', at: rowTime, of: '0xcd' } as const,
      statusRow({ _tag: 'Open', epoch: 2, since: rowTime }),
      { _tag: 'Uncorrelated', at: rowTime, error: uncorrelatedError('error-text', 'what?') } as const,
    ]
    expect(rows.map((row) => rowLine(row, names, plain))).toMatchInlineSnapshot(`
    [
      "2026-11-21T10:15:02.123Z ETH price 2682.5050 USD",
      "2026-11-21T10:15:02.123Z 0xcd price 0.000000100000 USD",
      "2026-11-21T10:15:02.123Z ETH price error: svc-0xab: no price for 30000 ms; none on this connection yet",
      "2026-11-21T10:15:02.123Z ETH price error: connection down (1006: reset); attempt 2 in 250 ms",
      "2026-11-21T10:15:02.123Z ETH depth 2.000000 USD, buy 1234.50 USD 123.45 ETH, sell 67.89 USD 0.05 ETH",
      "2026-11-21T10:15:02.123Z 0xcd depth 2.000000 USD, buy 1234.50 USD 12345 units, sell 67.89 USD 5 units",
      "2026-11-21T10:15:02.123Z ETH depth error: the service rejected the signature (401: no); check the auth key",
      "2026-11-21T10:15:02.123Z ETH price ended",
      "2026-11-21T10:15:02.123Z 0xcd depth ended",
      "2026-11-21T10:15:02.123Z status connected again",
      "2026-11-21T10:15:02.123Z error: error-text that belongs to no topic: what?",
    ]
  `)
  })

  test('has commas on a terminal, and each digit of a quantity', () => {
    const rows = [
      priceRow('svc-0xAB', 61_685.995),
      depthRow('0xab', 123_456_789_012_345_678_901n, 5n),
      depthRow('0xcd', 12_345n, 5n),
    ]
    const lines = rows.map((row) => rowLine(row, names, numberFormat({ isTTY: true })))
    expect(lines.map((line) => line.slice(line.indexOf('Z ') + 2))).toEqual([
      'ETH price 61,685.9950 USD',
      'ETH depth 2.000000 USD, buy 1,234.50 USD 1,234,567,890,123,456,789.01 ETH, sell 67.89 USD 0.05 ETH',
      '0xcd depth 2.000000 USD, buy 1,234.50 USD 12,345 units, sell 67.89 USD 5 units',
    ])
  })

  test('prints one line for any recorded text', () => {
    const reason = 'first\nsecond\u001b[2J'
    const row = statusRow({ _tag: 'Waiting', attempt: 1, retryInMs: 5, reason })
    expect(rowLine({ ...row, at: 1e300 }, names, plain)).toBe(
      '1e+300 status down (first second [2J), next attempt in 5 ms',
    )
  })

  test('prints the unit tokens for a token whose symbol another one has taken over', () => {
    const taken = createTokenNames([
      { address: '0xab', symbol: 'ETH', decimals: 2 },
      { address: '0xcd', symbol: 'ETH', decimals: 3 },
    ])
    expect(rowLine(depthRow('0xab', 12_345n, 5n), taken, plain)).toMatch(
      /USD 123\.45 tokens, .* USD 0\.05 tokens$/,
    )
  })
})

describe('an event as JSON', () => {
  const names = createTokenNames([{ address: '0xab', symbol: 'ETH', decimals: 2 }])
  const down = disconnected({ code: 1006, reason: 'reset', attempt: 1, retryInMs: 250 })

  const tokenRows: readonly Row[] = [
    priceRow('svc-0xAB', 2),
    priceFailure('svc-0xAB', down),
    depthRow('0xAB', 5n, 6n),
    { _tag: 'End', at: rowTime, of: 'svc-0xAB' },
    { _tag: 'End', at: rowTime, of: '0xAB' },
  ]
  const otherRows: readonly Row[] = [
    statusRow({ _tag: 'Closed' }),
    { _tag: 'Uncorrelated', at: rowTime, error: uncorrelatedError('malformed', 'x') },
  ]

  test('adds topic and symbol to every event of a token', () => {
    for (const row of tokenRows) {
      const json = JSON.parse(rowJson(row, names)) as object
      expect(json).toEqual({ ...(JSON.parse(encodeRow(row)) as object), topic: 'svc-0xAB', symbol: 'ETH' })
    }
    expect(rowJson(depthRow('0xcd', 5n, 6n), names)).toContain('"topic":"svc-0xcd"')
    expect(rowJson(depthRow('0xcd', 5n, 6n), names)).not.toContain('symbol')
  })

  test('has numbers without an exponent, as has the line', () => {
    expect(rowJson(priceRow('svc-0xAB', 3e-9), names)).toContain('"price":0.000000003,')
    expect(rowJson(priceRow('svc-0xAB', 1e21), names)).toContain('"price":1000000000000000000000,')
    expect(rowLine(priceRow('svc-0xAB', 3e-9), names, plain)).toContain(' 0.00000000300000 USD')
  })

  test('adds nothing to an event of the connection', () => {
    for (const row of otherRows) expect(rowJson(row, names)).toBe(encodeRow(row))
  })

  test('is a row of a recording: the decoder ignores topic and symbol', () => {
    for (const row of [...tokenRows, ...otherRows]) {
      expect(decodeRow(rowJson(row, names))).toEqual(decodeRow(encodeRow(row)))
      expect(decodeRow(rowJson(row, names))).toMatchObject(right({ _tag: row._tag }))
    }
  })

  test('keeps the topic that a value has', () => {
    expect(withToken({ topic: 'acme-0xAB', price: 1 }, '0xAB', names)).toEqual({
      topic: 'acme-0xAB',
      price: 1,
      symbol: 'ETH',
    })
  })
})

describe('the address of an event', () => {
  test('gives the address as spelled in the event, for any service name', () => {
    expect(rowAddress(priceRow('svc-0xAB', 1))).toBe('0xAB')
    expect(rowAddress(priceRow('other-name-0xab', 1))).toBe('0xab')
    expect(rowAddress(depthRow('0xAB', 1n, 1n))).toBe('0xAB')
    expect(rowAddress({ _tag: 'End', at: rowTime, of: 'svc-0xab' })).toBe('0xab')
    expect(rowAddress({ _tag: 'End', at: rowTime, of: '0xab' })).toBe('0xab')
  })

  test('gives no address for an event of the connection', () => {
    expect(rowAddress(statusRow({ _tag: 'Idle' }))).toBeUndefined()
    expect(
      rowAddress({ _tag: 'Uncorrelated', at: rowTime, error: uncorrelatedError('malformed', '') }),
    ).toBeUndefined()
  })
})

test('describes each connection status', () => {
  expect(statusText({ _tag: 'Idle' })).toBe('idle')
  expect(statusText({ _tag: 'Connecting', attempt: 2 })).toBe('connecting, attempt 2')
  expect(statusText({ _tag: 'Open', epoch: 1, since: 0 })).toBe('connected')
  expect(statusText({ _tag: 'Open', epoch: 3, since: 0, behindMs: 5234 })).toBe(
    'connected again, 5.2 s behind',
  )
  expect(statusText({ _tag: 'Open', epoch: 3, since: 0, switches: 2 })).toBe(
    'connected, 2 switches of the line',
  )
  expect(statusText({ _tag: 'Waiting', attempt: 1, retryInMs: 250, reason: 'reset' })).toBe(
    'down (reset), next attempt in 250 ms',
  )
  expect(statusText({ _tag: 'Closed' })).toBe('closed')
})
