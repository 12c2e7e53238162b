import { depth } from 'svc-streams/testing'
import { describe, expect, test } from 'vitest'
import { depthTable } from '../../../src/cli/commands/depth.js'
import { coloursFor, numberFormat, outputJson } from '../../../src/cli/render/terminal.js'
import { createTokenNames } from '../../../src/cli/target/token-names.js'

describe('the table of a depth', () => {
  const sample = depth('0xAB', {
    price: 2682.505,
    buy: { totalQuantity: 50_973_900_000_000_000_000n, totalQuantityUsd: 136_737.741_619_5 },
    sell: { totalQuantity: 1n, totalQuantityUsd: 0.004 },
  })
  const plain = coloursFor({}, {})
  const eth = { address: '0xab', symbol: 'ETH', decimals: 18 } as const

  test('prints a token with known decimals to its last digit', () => {
    expect(`\n${depthTable(sample, createTokenNames([eth]), plain, numberFormat({ isTTY: true }))}\n`)
      .toMatchInlineSnapshot(`
        "
        ETH at 2,682.5050 USD, 2025-01-01T00:00:00.000Z
                     USD              QUANTITY
        buy   136,737.74               50.9739
        sell        0.00  0.000000000000000001
        "
      `)
  })

  test('prints an unknown token in base-token units', () => {
    expect(`\n${depthTable(sample, createTokenNames([]), plain, numberFormat({}))}\n`).toMatchInlineSnapshot(`
    "
    0xAB at 2682.5050 USD, 2025-01-01T00:00:00.000Z
                USD                    QUANTITY
    buy   136737.74  50973900000000000000 units
    sell       0.00                     1 units
    "
  `)
  })
})

test('outputJson keeps every digit of a quantity, as text', () => {
  expect(JSON.parse(outputJson({ price: 1.5, buy: { totalQuantity: 2n ** 64n } }))).toEqual({
    price: 1.5,
    buy: { totalQuantity: '18446744073709551616' },
  })
})
