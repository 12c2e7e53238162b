import { expect, test } from 'vitest'
import { shortAddresses } from '../../../src/dashboard/text/short-addresses.js'
import { wbtc, weth } from '../../support/tokens.js'

test('shortAddresses keeps both ends of each address, and short ones whole', () => {
  expect(shortAddresses(`pair ${weth}-${wbtc} of 0xdead`)).toBe(
    'pair 0x82af\u2026bab1-0x2f2a\u20265b0f of 0xdead',
  )
})
