import { expect, test } from 'vitest'
import { showBoard$ } from '../../../src/cli/render/show.js'
import { marbles } from '../../support/time/marbles.js'
import { priceRow, statusRow } from '../support/rows.js'

const rows = {
  o: statusRow({ _tag: 'Open', epoch: 1, since: 0 }),
  a: priceRow('svc-0xaa', 41.5),
  b: priceRow('svc-0xaa', 42.5),
}

/** The writes to the terminal for these events, until the board is unsubscribed. */
const written = (timeline: string, subscription?: string): readonly string[] => {
  const writes: string[] = []
  const write = (text: string) => writes.push(text)
  const output = { isTTY: true, columns: 80, rows: 24, write } as unknown as NodeJS.WriteStream
  const options = {
    tokens: [{ address: '0xaa', symbol: '0xaa', decimals: null }],
    hasDepth: false,
    header: undefined,
    note: undefined,
  } as const
  marbles(({ hot, expectObservable }) => {
    const shown$ = showBoard$({ stdout: output, env: {} }, hot(timeline, rows), options)
    const end = subscription === undefined ? timeline.replaceAll(/[oab]/g, '-') : ''
    expectObservable(shown$, subscription).toBe(end)
  })
  return writes
}

test('draws immediately, then once per redraw interval', () => {
  const writes = written('100ms o 10ms a 10ms b 1s |')
  expect(writes.slice(0, 2).join('')).toContain('waiting')
  expect(writes.join('')).not.toContain('41.50')
  expect(writes.join('')).toContain('42.50')
})

test('draws the last event before it completes', () => {
  expect(written('a 10ms (b|)').slice(-2).join('')).toContain('42.50')
})

test('draws nothing after unsubscription', () => {
  expect(written('100ms a 10s |', '^ 50ms !').join('')).not.toContain('41.50')
})
