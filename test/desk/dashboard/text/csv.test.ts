import { expect, test } from 'vitest'
import { csvName, csvOf } from '../../../../src/desk/dashboard/text/csv.js'
import { weth } from '../../../support/tokens.js'
import { figures } from '../support/figures.js'

const header =
  'symbol,address,state,price_usd,change_percent,age_ms,prices_per_second,lag_ms,buy_usd,sell_usd\r\n'

test('csvOf has a header, all digits, and nothing for what is not known', () => {
  const row = figures({ price: 0.1 + 0.2, change: -1.5, age: undefined, buy: undefined, sell: 7 })
  expect(csvOf([])).toBe(header)
  expect(csvOf([row])).toBe(`${header}ETH,${weth},live,0.30000000000000004,-1.5,,1,0,,7\r\n`)
})

test('csvOf writes no exponent', () => {
  const row = figures({ price: 3e-9, change: -1.5e-7, age: undefined, buy: 1e21, sell: 7 })
  const sizes = '0.000000003,-0.00000015,,1,0,1000000000000000000000,7'
  expect(csvOf([row])).toBe(`${header}ETH,${weth},live,${sizes}\r\n`)
})

test('csvOf quotes separators, and makes no formula of a symbol', () => {
  const lineOf = (symbol: string) =>
    csvOf([figures({ token: { address: weth, symbol, decimals: 18 } })])
      .slice(header.length)
      .replace(/,0x.*/s, '')
  expect(['A,"B"', '=1+1', '@SUM(A1)', '-1'].map(lineOf)).toEqual(['"A,""B"""', "'=1+1", "'@SUM(A1)", "'-1"])
})

test('csvName is the time, without characters that a file system refuses', () => {
  expect(csvName(Date.UTC(2026, 10, 24, 17, 2, 5, 123))).toBe('prices-2026-11-24T17-02-05Z.csv')
})
