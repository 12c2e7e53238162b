import { expect, test } from 'vitest'
import { emptyBoard, tokenOf, updateBoard, type Board } from '../../../src/cli/board/board.js'
import { stale, uncorrelatedError, unauthorized } from '../../../src/errors/constructors.js'
import type { Row } from '../../../src/recording/format/row.js'
import { at, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const start = emptyBoard(['0xAA', '0xbb'])
const after = (...rows: readonly Row[]): Board => rows.reduce(updateBoard, start)
const silent = stale('svc-0xaa', 30_000, undefined)

test('a price goes to its token, in any case, with the change since the last', () => {
  const [first, second] = after(priceRow('svc-0xaa', 2), priceRow('svc-0xAA', 2.5)).tokens
  expect(first).toMatchObject({ address: '0xAA', price: { price: 2.5 }, change: 0.5 })
  expect(second).toEqual(start.tokens[1])
  expect(after(priceRow('svc-0xaa', 2)).tokens[0]?.change).toBeUndefined()
})

test('a failure leaves the last price, and marks it; the next price mends it', () => {
  const failed = after(priceRow('svc-0xaa', 2), priceFailure('svc-0xaa', silent))
  expect(failed.tokens[0]).toMatchObject({ price: { price: 2 }, priceError: silent })
  expect(updateBoard(failed, priceRow('svc-0xaa', 3)).tokens[0]).toMatchObject({
    change: 1,
    priceError: undefined,
  })
})

test('the same with depth', () => {
  const error = unauthorized('no')
  const failed = after(depthRow('0xBB', 1n, 2n), depthFailure('0xbb', error))
  expect(failed.tokens[1]).toMatchObject({ depth: { buy: { totalQuantity: 1n } }, depthError: error })
  expect(updateBoard(failed, depthRow('0xbb', 3n, 2n)).tokens[1]).toMatchObject({
    depth: { buy: { totalQuantity: 3n } },
    depthError: undefined,
  })
})

test('the status is that of the last event', () => {
  expect(after(statusRow({ _tag: 'Connecting', attempt: 1 })).status).toEqual({
    _tag: 'Connecting',
    attempt: 1,
  })
})

test('what is about no token of the board changes nothing', () => {
  expect(
    after(
      priceRow('svc-0xcc', 1),
      { _tag: 'End', at, of: 'svc-0xaa' },
      { _tag: 'Uncorrelated', at, error: uncorrelatedError('malformed', '') },
    ),
  ).toEqual(start)
})

test('the token of an event', () => {
  expect(tokenOf(start, priceRow('svc-0xAa', 1))).toBe(start.tokens[0])
  expect(tokenOf(start, priceRow('svc-0xcc', 1))).toBeUndefined()
  expect(tokenOf(start, statusRow({ _tag: 'Idle' }))).toBeUndefined()
})
