import { expect, test } from 'vitest'
import { rowAddress } from '../../../src/cli/output/row-address.js'
import { uncorrelatedError } from '../../../src/errors/constructors.js'
import { rowTime, depthRow, priceRow, statusRow } from '../support/rows.js'

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
