import { expect, test } from 'vitest'
import { progressLine } from '../../../src/cli/commands/record.js'
import { numberFormat } from '../../../src/cli/render/terminal.js'

test.each([
  [{ rows: 0, bytes: 0, duration: 0, priceAge: undefined }, '0 rows  0 bytes  0:00:00  no price yet'],
  [
    { rows: 12_345, bytes: 1_234_567, duration: 3_723_000, priceAge: 250 },
    '12,345 rows  1.2 MB  1:02:03  last price 0.3 s ago',
  ],
  [
    { rows: 1, bytes: 999_950, duration: 90_000_000, priceAge: 120_000 },
    '1 row  1000.0 kB  25:00:00  last price 2 min ago',
  ],
])('%j is shown as %s', (progress, line) => {
  expect(progressLine(progress, numberFormat({ isTTY: true }))).toBe(line)
})
