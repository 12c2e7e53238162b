import { defineTokens } from 'svc-streams'
import { market, summaryOf, type Equity, type PaperEvent } from 'svc-streams/paper'
import { expect, it } from 'vitest'
import { eventLines, printSummary } from '../../../src/cli/render/paper-lines.js'
import type { Io } from '../../../src/cli/io.js'
import { numberFormat } from '../../../src/cli/render/terminal.js'

const tokens = defineTokens({ ETH: { address: '0xab', decimals: 2 } })
const start = Date.UTC(2026, 0, 5)

const equityAt = (ms: number, equityUsd: number, isCurrent = true): Equity => ({
  ...{ _tag: 'Equity', at: start + ms, equityUsd, isCurrent, prices: {} },
})

it('prints each fill, and the value of the account once a minute', () => {
  const events: readonly PaperEvent[] = [
    equityAt(0, 100),
    equityAt(1_000, 101),
    {
      ...{ _tag: 'Filled', id: '1', order: market('ETH', 'buy', { units: 3n }), symbol: 'ETH', side: 'buy' },
      ...{ decidedAt: start, at: start + 59_000, price: 2_000, quantity: 1n, remaining: 2n },
      ...{ valueUsd: 20, feeUsd: 0, slippageUsd: 0 },
    },
    equityAt(59_999, 102),
    equityAt(60_000, 103, false),
    equityAt(61_000, 104),
    equityAt(500_000, 105),
  ]
  const lineOf = eventLines(tokens, numberFormat({}))
  const lines = events
    .flatMap((event) => lineOf(event) ?? [])
    .map((line) => line.slice(line.indexOf('  ') + 2))
  expect(lines).toEqual([
    'equity 100.00 USD',
    'buy  0.01 ETH at 2000.0000, 20.00 USD  #1, 0.02 left',
    'equity 103.00 USD, not current',
    'equity 105.00 USD',
  ])
})

it('prints numbers with commas on a terminal alone, in plain notation and without lost cents', () => {
  const summaryLines = (isTTY: boolean): readonly string[] => {
    let text = ''
    const stdout = { isTTY, write: (line: string) => (text += line) } as unknown as NodeJS.WriteStream
    const events = [equityAt(0, 1e7), equityAt(60_000, 22_345_678.9)]
    printSummary({ stdout } as Io, summaryOf(events), false)
    return text.split('\n')
  }
  expect(summaryLines(true)[0]).toMatch(/^profitUsd +12,345,678\.9$/)
  expect(summaryLines(false)[0]).toMatch(/^profitUsd +12345678\.9$/)
  const lineOf = eventLines(tokens, numberFormat({ isTTY: true }))
  expect(lineOf(equityAt(0, 12_345.678))).toContain('equity 12,345.68 USD')
})
