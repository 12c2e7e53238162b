import { right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { rowJson, withToken } from '../../../src/cli/output/token-json.js'
import { createTokenNames } from '../../../src/cli/tokens/token-names.js'
import { decodeRow, encodeRow } from '../../../src/recording/format/row-codec.js'
import type { Row } from '../../../src/recording/format/row.js'
import { disconnected, uncorrelatedError } from '../../../src/errors/constructors.js'
import { depthRow, priceFailure, priceRow, rowTime, statusRow } from '../support/rows.js'

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
