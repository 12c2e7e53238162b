import { expect, test } from 'vitest'
import { emptyBoard, updateBoard } from '../../../src/cli/board/board.js'
import { logEvent, type LoggedEvent } from '../../../src/cli/board/event-log.js'
import { createTokenNames } from '../../../src/cli/input/token-names.js'
import {
  disconnected,
  stale,
  subscriptionRejected,
  uncorrelatedError,
  unauthorized,
  unsupportedPair,
} from '../../../src/errors/constructors.js'
import type { Row } from '../../../src/recording/format/row.js'
import { at, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const names = createTokenNames([{ address: '0xaa', symbol: 'ETH' }])

const newsOf = (...rows: readonly Row[]): readonly string[] => {
  let board = emptyBoard(['0xaa', '0xbb'])
  let news: readonly LoggedEvent[] = []
  for (const row of rows) {
    news = logEvent(news, board, row, names)
    board = updateBoard(board, row)
  }
  return news.map(({ text }) => text)
}

const down = (attempt: number) => disconnected({ code: 1006, reason: '', attempt, retryInMs: 250 })
const silent = (topic: 'svc-0xaa' | 'svc-0xbb') => priceFailure(topic, stale(topic, 30_000, undefined))

test('what goes well is no news', () => {
  const open = statusRow({ _tag: 'Open', epoch: 1, since: at })
  expect(newsOf(open, priceRow('svc-0xaa', 1), depthRow('0xaa', 1n, 1n))).toEqual([])
})

test('what fails is told with its token', () => {
  expect(
    newsOf(
      silent('svc-0xaa'),
      priceFailure('svc-0xbb', subscriptionRejected('svc-0xbb', 'no such thing')),
      { _tag: 'End', at, of: 'svc-0xbb' },
      { _tag: 'Uncorrelated', at, error: uncorrelatedError('error-text', 'what?') },
    ),
  ).toMatchInlineSnapshot(`
    [
      "ETH Stale: svc-0xaa: nothing for 30000 ms; no price yet on this connection",
      "0xbb SubscriptionRejected: svc-0xbb: the service refused it: no such thing",
      "UncorrelatedError: error-text that belongs to no topic: what?",
    ]
  `)
})

test('that the connection is down is told once, not once a token', () => {
  const rows = [1, 2].flatMap((attempt) => [
    priceFailure('svc-0xaa', down(attempt)),
    priceFailure('svc-0xbb', down(attempt)),
    statusRow({ _tag: 'Waiting', attempt, retryInMs: 250, reason: '' }),
  ])
  expect(newsOf(...rows, statusRow({ _tag: 'Open', epoch: 2, since: at }))).toMatchInlineSnapshot(`
    [
      "Disconnected: connection down (1006); attempt 2 in 250 ms",
      "Disconnected: connection down (1006); attempt 3 in 250 ms",
      "connected again, epoch 2",
    ]
  `)
})

test('a poll that fails in the same way again is told once, until it mends', () => {
  const failed = depthFailure('0xaa', unauthorized('no'))
  const other = depthFailure('0xbb', unsupportedPair('0xbb', undefined, 'no'))
  expect(newsOf(failed, other, failed, other, depthRow('0xaa', 1n, 1n), failed)).toEqual([
    'ETH depth Unauthorized: the service did not accept the signature (401: no); check the auth key and the clock',
    '0xbb depth UnsupportedPair: the service does not support this pair: no',
    'ETH depth Unauthorized: the service did not accept the signature (401: no); check the auth key and the clock',
  ])
})

test('the last few are kept', () => {
  const rows = Array.from({ length: 4 }, () => [silent('svc-0xaa'), silent('svc-0xbb')]).flat()
  const news = newsOf(...rows)
  expect(news).toHaveLength(5)
  expect(news.at(-1)).toMatch(/^0xbb Stale/)
})
