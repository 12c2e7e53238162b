import { expect, test } from 'vitest'
import { createTokenNames } from '../../../src/cli/target/token-names.js'
import { createUpdate, emptyDisplay, symbolsText } from '../../../src/view/display.js'
import {
  disconnected,
  networkError,
  stale,
  subscriptionRejected,
  uncorrelatedError,
  unauthorized,
  unsupportedPair,
} from '../../../src/base/errors/constructors.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { rowTime, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const long = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const names = createTokenNames([{ address: '0xaa', symbol: 'ETH' }])

/** The lines of the log, the oldest first. */
const textsOf = (...rows: readonly Row[]): readonly string[] =>
  rows
    .reduce(createUpdate(true), emptyDisplay((['0xaa', '0xbb', long] as const).map(names.display)))
    .log.map((entry) => [...entry.symbols.slice(0, 1).map(() => symbolsText(entry)), entry.text].join(' '))
    .reverse()

const down = (attempt: number) => disconnected({ code: 1006, reason: '', attempt, retryInMs: 250 })
const silent = (topic: 'svc-0xaa' | 'svc-0xbb') => priceFailure(topic, stale(topic, 30_000, undefined))

test('logs the first connection, and no value', () => {
  const open = statusRow({ _tag: 'Open', epoch: 1, since: rowTime })
  expect(textsOf(open, priceRow('svc-0xaa', 1), depthRow('0xaa', 1n, 1n))).toEqual([
    'Connected to the service.',
  ])
})

test('logs a failure with its token', () => {
  expect(
    textsOf(
      silent('svc-0xaa'),
      priceFailure('svc-0xbb', subscriptionRejected('svc-0xbb', 'no such thing')),
      { _tag: 'End', at: rowTime, of: 'svc-0xbb' },
      { _tag: 'Uncorrelated', at: rowTime, error: uncorrelatedError('error-text', 'what?') },
    ),
  ).toMatchInlineSnapshot(`
    [
      "ETH no price for 30 s.",
      "0xbb rejected by the service: no such thing.",
      "A message of the service matches no token: error-text that belongs to no topic: what?",
    ]
  `)
})

test('abbreviates long addresses', () => {
  const topic = `svc-${long}` as const
  expect(textsOf(priceFailure(topic, subscriptionRejected(topic, `no such thing ${long}`)))).toEqual([
    '0x82af…bab1 rejected by the service: no such thing 0x82af…bab1.',
  ])
})

test('an outage is one entry for all tokens, and its end is another one', () => {
  const open = (epoch: number, at: number) => statusRow({ _tag: 'Open', epoch, since: at }, at)
  const attempt = (number: number, at: number, reason: string): readonly Row[] => [
    priceFailure('svc-0xaa', down(number)),
    priceFailure('svc-0xbb', down(number)),
    statusRow({ _tag: 'Waiting', attempt: number, retryInMs: 250, reason }, at),
    depthFailure('0xaa', networkError(new Error('refused'))),
    statusRow({ _tag: 'Connecting', attempt: number + 1 }, at),
  ]
  const outage = [...attempt(1, rowTime, 'reset'), ...attempt(2, rowTime + 65_000, 'refused')]
  const first = 'Connected to the service.'
  expect(textsOf(open(1, rowTime), ...attempt(1, rowTime, ''))).toEqual([first, 'Connection lost.'])
  const rows = [open(1, rowTime), ...outage, open(2, rowTime + 70_000)]
  expect(textsOf(...rows, ...attempt(1, rowTime + 80_000, 'reset'))).toEqual([
    ...[first, 'Connection lost: reset.', 'Connected again after 1 min 10 s.', 'Connection lost: reset.'],
  ])
  expect(textsOf(...outage)).toEqual(['No connection to the service: reset.'])
  expect(textsOf(...outage, open(1, rowTime))).toEqual(['No connection to the service: reset.', first])
})

test('logs once that the prices are behind, and once that they are current again', () => {
  const held = (topic: 'svc-0xaa' | 'svc-0xbb') => priceFailure(topic, stale(topic, 20, undefined, 5234))
  const open = { _tag: 'Open', epoch: 2, since: rowTime } as const
  const rows = [statusRow({ ...open, behindMs: 5234 }), held('svc-0xaa'), held('svc-0xbb'), statusRow(open)]
  expect(textsOf(...rows)).toEqual([
    'The prices are 5.2 s behind, and are held until they are current.',
    'The prices are current again.',
  ])
})

test('logs a repeated poll failure once until the poll recovers', () => {
  const failed = depthFailure('0xaa', unauthorized('no'))
  const other = depthFailure('0xbb', unsupportedPair('0xbb', undefined, 'no'))
  const open = statusRow({ _tag: 'Open', epoch: 1, since: rowTime })
  expect(textsOf(open, failed, other, failed, other, depthRow('0xaa', 1n, 1n), failed)).toEqual([
    'Connected to the service.',
    'ETH depth is not available: the service rejected the signature (401: no); check the auth key.',
    '0xbb depth is not available: the service does not support this pair: no.',
    'ETH depth is available again.',
    'ETH depth is not available: the service rejected the signature (401: no); check the auth key.',
  ])
})
