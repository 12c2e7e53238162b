import { expect, test } from 'vitest'
import { failureText, type StreamRun } from '../../../src/cli/outcome/failure-text.js'
import { nothingReceived, receive } from '../../../src/cli/outcome/received.js'
import { networkError, stale, unauthorized } from '../../../src/errors/constructors.js'
import type { Row } from '../../../src/recording/format/row.js'
import { depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const price = priceRow('svc-0xab', 2500)
const noPrice = priceFailure('svc-0xab', stale('svc-0xab', 30_000, undefined))
const rejected = depthFailure('0xab', unauthorized('no'))
const unreachable = depthFailure('0xab', networkError(new Error('reset')))

const firstLine = (rows: readonly Row[], end: StreamRun['end']): string | undefined => {
  const run = {
    command: 'watch',
    priceHost: 'prices.example:4000',
    serverFlag: undefined,
    duration: 5000,
    end,
  } as const
  return failureText(rows.reduce(receive, nothingReceived), run)?.split('\n')[0]
}

const noPriceText = 'no price arrived from prices.example:4000 in 5 s'
const rejectedText = 'the service rejected the signature of every depth request'

test.each<readonly [string, readonly Row[], StreamRun['end'], string | undefined]>([
  ['a price', [price], 'duration', undefined],
  ['a price, and later its error', [price, noPrice], 'duration', undefined],
  ['no event', [], 'duration', noPriceText],
  ['only errors of prices', [noPrice, statusRow({ _tag: 'Idle' })], 'duration', noPriceText],
  ['only a depth', [depthRow('0xab', 1n, 1n)], 'duration', noPriceText],
  ['no price before Ctrl-C', [noPrice], 'interrupted', undefined],
  ['no price before the pipe is closed', [noPrice, rejected], 'output closed', undefined],
  ['only rejected signatures', [price, rejected, rejected], 'interrupted', rejectedText],
  ['an accepted signature', [price, rejected, depthRow('0xab', 1n, 1n)], 'interrupted', undefined],
  ['another depth error', [price, rejected, unreachable], 'interrupted', undefined],
  [
    'the end of all streams',
    [noPrice],
    'completed',
    'no token left to watch: the service rejected every token',
  ],
])('reports the failure of a command that received %s', (_, rows, end, expected) => {
  expect(firstLine(rows, end)).toBe(expected)
})
