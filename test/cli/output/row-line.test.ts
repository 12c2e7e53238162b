import { expect, test } from 'vitest'
import { createTokenNames } from '../../../src/cli/tokens/token-names.js'
import { rowLine } from '../../../src/cli/output/row-line.js'
import { disconnected, stale, uncorrelatedError, unauthorized } from '../../../src/errors/constructors.js'
import { rowTime, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

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
  expect(rows.map((row) => rowLine(row, names))).toMatchInlineSnapshot(`
    [
      "2026-11-21T10:15:02.123Z ETH price 2682.5050 USD",
      "2026-11-21T10:15:02.123Z 0xcd price 0.000000100000 USD",
      "2026-11-21T10:15:02.123Z ETH price Stale: svc-0xab: no price for 30000 ms; none on this connection yet",
      "2026-11-21T10:15:02.123Z ETH price Disconnected: connection down (1006: reset); attempt 2 in 250 ms",
      "2026-11-21T10:15:02.123Z ETH depth 2.000000 USD, buy 1234.50 USD 123.45 ETH, sell 67.89 USD 0.05 ETH",
      "2026-11-21T10:15:02.123Z 0xcd depth 2.000000 USD, buy 1234.50 USD 12345 units, sell 67.89 USD 5 units",
      "2026-11-21T10:15:02.123Z ETH depth Unauthorized: the service rejected the signature (401: no); check the auth key",
      "2026-11-21T10:15:02.123Z ETH price ended",
      "2026-11-21T10:15:02.123Z 0xcd depth ended",
      "2026-11-21T10:15:02.123Z status connected, epoch 2",
      "2026-11-21T10:15:02.123Z UncorrelatedError: error-text that belongs to no topic: what?",
    ]
  `)
})

test('prints one line for any recorded text', () => {
  const reason = 'first\nsecond\u001b[2J'
  const row = statusRow({ _tag: 'Waiting', attempt: 1, retryInMs: 5, reason })
  expect(rowLine({ ...row, at: 1e300 }, names)).toBe(
    '1e+300 status down (first second [2J), next attempt in 5 ms',
  )
})

test('prints the unit tokens for a token whose symbol another one has taken over', () => {
  const taken = createTokenNames([
    { address: '0xab', symbol: 'ETH', decimals: 2 },
    { address: '0xcd', symbol: 'ETH', decimals: 3 },
  ])
  expect(rowLine(depthRow('0xab', 12_345n, 5n), taken)).toMatch(/USD 123\.45 tokens, .* USD 0\.05 tokens$/)
})
