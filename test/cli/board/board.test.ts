import { expect, test } from 'vitest'
import { emptyBoard, findToken, updateBoard, type Board } from '../../../src/cli/board/board.js'
import { stale, uncorrelatedError, unauthorized } from '../../../src/errors/constructors.js'
import type { Row } from '../../../src/recording/format/row.js'
import { rowTime, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const start = emptyBoard(['0xAA', '0xbb'])
const after = (...rows: readonly Row[]): Board => rows.reduce(updateBoard, start)
const silent = stale('svc-0xaa', 30_000, undefined)

test('stores a price with its change, for any case of the address', () => {
  const [first, second] = after(priceRow('svc-0xaa', 2), priceRow('svc-0xAA', 2.5)).tokens
  expect(first).toMatchObject({ address: '0xAA', price: { price: 2.5 }, change: 0.5 })
  expect(second).toEqual(start.tokens[1])
  expect(after(priceRow('svc-0xaa', 2)).tokens[0]?.change).toBeUndefined()
})

test('keeps the last price on an error, and clears the error on the next price', () => {
  const failed = after(priceRow('svc-0xaa', 2), priceFailure('svc-0xaa', silent))
  expect(failed.tokens[0]).toMatchObject({ price: { price: 2 }, priceError: silent })
  expect(updateBoard(failed, priceRow('svc-0xaa', 3)).tokens[0]).toMatchObject({
    change: 1,
    priceError: undefined,
  })
})

test('keeps the last depth on an error, and clears the error on the next depth', () => {
  const error = unauthorized('no')
  const failed = after(depthRow('0xBB', 1n, 2n), depthFailure('0xbb', error))
  expect(failed.tokens[1]).toMatchObject({ depth: { buy: { totalQuantity: 1n } }, depthError: error })
  expect(updateBoard(failed, depthRow('0xbb', 3n, 2n)).tokens[1]).toMatchObject({
    depth: { buy: { totalQuantity: 3n } },
    depthError: undefined,
  })
})

test('stores the last status', () => {
  expect(after(statusRow({ _tag: 'Connecting', attempt: 1 })).status).toEqual({
    _tag: 'Connecting',
    attempt: 1,
  })
})

test('keeps the time at which a connection opened while it is behind, and not that of another one', () => {
  const open = (epoch: number) => ({ _tag: 'Open', epoch, since: 0 }) as const
  const opened = { ...statusRow(open(1)), at: 1 }
  const behind = { ...statusRow({ ...open(1), behindMs: 5234 }), at: 2 }
  expect(after(opened, behind)).toMatchObject({ status: { behindMs: 5234 }, statusAt: 1 })
  expect(after(opened, behind, { ...statusRow(open(2)), at: 3 }).statusAt).toBe(3)
})

test('ignores events of other tokens, completions and uncorrelated errors', () => {
  expect(
    after(
      priceRow('svc-0xcc', 1),
      { _tag: 'End', at: rowTime, of: 'svc-0xaa' },
      { _tag: 'Uncorrelated', at: rowTime, error: uncorrelatedError('malformed', '') },
    ),
  ).toEqual(start)
})

test('finds the token of an event', () => {
  expect(findToken(start, priceRow('svc-0xAa', 1))).toBe(start.tokens[0])
  expect(findToken(start, priceRow('svc-0xcc', 1))).toBeUndefined()
  expect(findToken(start, statusRow({ _tag: 'Idle' }))).toBeUndefined()
})
