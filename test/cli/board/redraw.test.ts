import { expect, test } from 'vitest'
import { createRedraw } from '../../../src/cli/board/redraw.js'

/** A terminal that interprets only the escape sequences of this module. */
const screen = () => {
  const lines: string[] = []
  let row = 0
  let cursor = true
  const write = (text: string): boolean => {
    for (const [piece] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
      const up = /^\u001b\[(\d+)A$/.exec(piece)
      if (up !== null) row -= Number(up[1])
      else if (piece === '\u001b[?25l') cursor = false
      else if (piece === '\u001b[?25h') cursor = true
      else if (piece === '\u001b[J') lines.splice(row)
      else if (piece === '\n') row++
      else if (piece !== '\r' && piece !== '\u001b[K') lines[row] = piece
    }
    return true
  }
  return { write, shown: () => lines, hasCursor: () => cursor }
}

test('replaces the previous lines by more or fewer lines', () => {
  const terminal = screen()
  terminal.write('$ watch\n')
  const { draw, done } = createRedraw(terminal)
  for (const lines of [['one'], ['a', 'b', 'c'], ['x', 'y']]) {
    draw(lines)
    expect(terminal.shown()).toEqual(['$ watch', ...lines])
  }
  expect(terminal.hasCursor()).toBe(false)
  done()
  expect([terminal.shown(), terminal.hasCursor()]).toEqual([['$ watch', 'x', 'y'], true])
})

test('shows the cursor again when the process exits early', () => {
  const before = process.listeners('exit')
  const terminal = screen()
  const { done } = createRedraw(terminal)
  const [restore] = process.listeners('exit').filter((listener) => !before.includes(listener))
  restore?.(0)
  expect(terminal.hasCursor()).toBe(true)
  done()
  expect(process.listeners('exit')).toEqual(before)
})
