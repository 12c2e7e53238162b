import { expect, test } from 'vitest'
import { showBoard$ } from '../../../src/cli/board/show.js'
import { createTokenNames } from '../../../src/cli/input/token-names.js'
import { marbles } from '../../support/marbles.js'
import { priceRow, statusRow } from '../support/rows.js'

const rows = {
  o: statusRow({ _tag: 'Open', epoch: 1, since: 0 }),
  a: priceRow('svc-0xaa', 41.5),
  b: priceRow('svc-0xaa', 42.5),
}

/** What is written to a terminal while these events come, piece by piece, until nobody looks. */
const written = (timeline: string, subscription?: string): readonly string[] => {
  const pieces: string[] = []
  const write = (text: string) => pieces.push(text)
  const output = { isTTY: true, columns: 80, rows: 24, write } as unknown as NodeJS.WriteStream
  const scene = {
    tokens: ['0xaa'],
    names: createTokenNames([]),
    hasDepth: false,
    note: undefined,
    output,
  } as const
  marbles(({ hot, expectObservable }) => {
    const shown$ = showBoard$(hot(timeline, rows), scene)
    const end = subscription === undefined ? timeline.replaceAll(/[oab]/g, '-') : ''
    expectObservable(shown$, subscription).toBe(end)
  })
  return pieces
}

test('draws at once, and then what is new, a few times a second', () => {
  const pieces = written('100ms o 10ms a 10ms b 1s |')
  expect(pieces.slice(0, 2).join('')).toContain('waiting')
  expect(pieces.join('')).not.toContain('41.50')
  expect(pieces.join('')).toContain('42.50')
})

test('the last event is drawn before it ends', () => {
  expect(written('a 10ms (b|)').slice(-2).join('')).toContain('42.50')
})

test('nothing is drawn when nobody looks any more', () => {
  expect(written('100ms a 10s |', '^ 50ms !').join('')).not.toContain('41.50')
})
