import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeStatus } from '../../examples/support/format.js'
import { renderBoard, type BoardState } from '../../examples/support/render-board.js'
import type { TokenRow } from '../../examples/support/token-row.js'
import { depth, disconnected, price, stale, unsupportedPair } from '../../src/testing/index.js'
import { hostileText, unsafeCharacters } from '../support/unsafe-characters.js'

const now = 1_723_161_600_000
const topic = 'svc-0xab'

const empty: TokenRow = {
  symbol: 'ETH',
  price: undefined,
  priceError: undefined,
  history: [],
  depth: undefined,
  depthError: undefined,
}

const complete: TokenRow = {
  ...empty,
  symbol: 'WBTC',
  price: price(topic, 123_456.789, { receivedAt: now - 59_900 }),
  history: Array.from({ length: 48 }, (_, index) => price(topic, 100 + (index % 7))),
  depth: depth('0xab', { receivedAt: now - 900 }),
}

const failed: TokenRow = {
  ...complete,
  priceError: stale(topic, 30_000, undefined),
  depthError: unsupportedPair('0xab', '0xcd', ''),
}

const lostConnection = disconnected({
  code: 1006,
  reason: 'connect ECONNREFUSED 127.0.0.1:4000',
  attempt: 7,
  retryInMs: 20_000,
})

const states: readonly BoardState[] = [
  { rows: [empty, complete, failed], status: { _tag: 'Open', epoch: 12, since: now - 3_600_000 }, log: [] },
  {
    rows: [complete],
    status: { ...lostConnection, _tag: 'Waiting' },
    log: ['a line of the log '.repeat(20)],
  },
]

const linesOf = (state: BoardState, columns: number): readonly string[] =>
  stripVTControlCharacters(renderBoard(state, now, columns)).split('\n')

describe('the board', () => {
  it('renders no line that is longer than the terminal is wide', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.integer({ min: 40, max: 250 }), (state, columns) => {
        for (const line of linesOf(state, columns)) expect(line.length).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it.each([72, 80, 110, 200])(
    'renders titles and rows of the same length, with depths, in %i columns',
    (columns) => {
      const [, , , titles, ...rest] = linesOf(states[0]!, columns)
      expect(titles).toMatch(/TOKEN +PRICE, USD +TREND +AGE +CAN BE BOUGHT +CAN BE SOLD +AGE$/)
      expect(rest.slice(0, 3).map(({ length }) => length)).toEqual([
        titles!.length,
        titles!.length,
        titles!.length,
      ])
    },
  )

  it('renders prices without depths in a narrow terminal', () => {
    const [, , , titles] = linesOf(states[0]!, 60)
    expect(titles).toMatch(/TOKEN +PRICE, USD +TREND +AGE$/)
  })

  it('renders no control character of a close reason', () => {
    const status = { ...lostConnection, _tag: 'Waiting', reason: hostileText } as const
    const text = renderBoard({ rows: [], status, log: [describeStatus(status)] }, now, 250)
    expect(stripVTControlCharacters(text)).not.toMatch(unsafeCharacters)
    expect(text).not.toContain('\u001b[2J')
    expect(describeStatus(status)).toContain('服务器')
  })
})
