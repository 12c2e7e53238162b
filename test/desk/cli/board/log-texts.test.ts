import { expect, test } from 'vitest'
import { logTexts } from '../../../../src/desk/cli/board/show.js'
import { createTokenNames } from '../../../../src/desk/cli/tokens/token-names.js'
import { createUpdate, emptyDisplay, symbolsText } from '../../../../src/desk/display/display.js'
import {
  disconnected,
  stale,
  subscriptionRejected,
  uncorrelatedError,
  unauthorized,
  unsupportedPair,
} from '../../../../src/base/errors/constructors.js'
import type { Row } from '../../../../src/backtest/recording/format/row.js'
import { rowTime, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const long = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const names = createTokenNames([{ address: '0xaa', symbol: 'ETH' }])

/** The lines of the log, the oldest first. */
const textsOf = (...rows: readonly Row[]): readonly string[] =>
  rows
    .reduce(createUpdate(logTexts), emptyDisplay((['0xaa', '0xbb', long] as const).map(names.display)))
    .log.map((entry) => [...entry.symbols.slice(0, 1).map(() => symbolsText(entry)), entry.text].join(' '))
    .reverse()

const down = (attempt: number) => disconnected({ code: 1006, reason: '', attempt, retryInMs: 250 })
const silent = (topic: 'svc-0xaa' | 'svc-0xbb') => priceFailure(topic, stale(topic, 30_000, undefined))

test('logs no value and no first connection', () => {
  const open = statusRow({ _tag: 'Open', epoch: 1, since: rowTime })
  expect(textsOf(open, priceRow('svc-0xaa', 1), depthRow('0xaa', 1n, 1n))).toEqual([])
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
      "ETH Stale: svc-0xaa: no price for 30000 ms; none on this connection yet",
      "0xbb SubscriptionRejected: svc-0xbb: rejected by the service: no such thing",
      "UncorrelatedError: error-text that belongs to no topic: what?",
    ]
  `)
})

test('abbreviates long addresses', () => {
  const topic = `svc-${long}` as const
  expect(textsOf(priceFailure(topic, subscriptionRejected(topic, 'no such thing')))).toEqual([
    '0x82af…bab1 SubscriptionRejected: svc-0x82af…bab1: rejected by the service: no such thing',
  ])
})

test('logs a lost connection once, not once per token', () => {
  const rows = [1, 2].flatMap((attempt) => [
    priceFailure('svc-0xaa', down(attempt)),
    priceFailure('svc-0xbb', down(attempt)),
    statusRow({ _tag: 'Waiting', attempt, retryInMs: 250, reason: '' }),
  ])
  expect(textsOf(...rows, statusRow({ _tag: 'Open', epoch: 2, since: rowTime }))).toMatchInlineSnapshot(`
    [
      "Disconnected: connection down (1006); attempt 2 in 250 ms",
      "Disconnected: connection down (1006); attempt 3 in 250 ms",
      "reconnected, epoch 2",
    ]
  `)
})

test('logs once that the prices are behind, and once that they are current again', () => {
  const held = (topic: 'svc-0xaa' | 'svc-0xbb') => priceFailure(topic, stale(topic, 20, undefined, 5234))
  const open = { _tag: 'Open', epoch: 2, since: rowTime } as const
  const rows = [statusRow({ ...open, behindMs: 5234 }), held('svc-0xaa'), held('svc-0xbb'), statusRow(open)]
  expect(textsOf(...rows)).toEqual(['5.2 s behind: prices are held', 'prices are current again'])
  expect(textsOf(...rows.slice(1, 3))).toEqual(['5.2 s behind: prices are held'])
})

test('logs a repeated poll failure once until the poll recovers', () => {
  const failed = depthFailure('0xaa', unauthorized('no'))
  const other = depthFailure('0xbb', unsupportedPair('0xbb', undefined, 'no'))
  expect(textsOf(failed, other, failed, other, depthRow('0xaa', 1n, 1n), failed)).toEqual([
    'ETH depth Unauthorized: the service rejected the signature (401: no); check the auth key',
    '0xbb depth UnsupportedPair: the service does not support this pair: no',
    'ETH depth Unauthorized: the service rejected the signature (401: no); check the auth key',
  ])
})
