import { describe, expect, test } from 'vitest'
import { coloursFor, createRedraw, showProgressLine } from '../../../src/cli/render/terminal.js'
import { eventually } from '../../support/time/eventually.js'

describe('the colours', () => {
  const isColoured = (isTTY: boolean, environment: Readonly<Record<string, string>>): boolean =>
    coloursFor({ isTTY }, environment).failed('x') !== 'x'

  test.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a pipe of a CI', false, { CI: 'true' }, false],
    ['a terminal without colours', true, { TERM: 'dumb' }, false],
    ['NO_COLOR on a terminal', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, false],
    ['NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('colours for %s: %j, %j: %j', (_, isTTY, environment, coloured) => {
    expect(isColoured(isTTY, environment)).toBe(coloured)
  })
})

describe('lines that are redrawn', () => {
  /**
   * A terminal that interprets only the escape sequences of this module. Behind a line as wide as the terminal, the cursor
   * is on the last character, as on VT100.
   */
  const screen = (columns = 80) => {
    const size = { columns, rows: 24 }
    const lines: string[] = []
    let row = 0
    let column = 0
    let cursor = true
    const write = (text: string): boolean => {
      for (const [piece] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
        const up = /^\u001b\[(\d+)A$/.exec(piece)
        if (up !== null) row -= Number(up[1])
        else if (piece === '\u001b[?25l') cursor = false
        else if (piece === '\u001b[?25h') cursor = true
        else if (piece === '\u001b[J') lines.splice(row)
        else if (piece === '\u001b[H') row = column = 0
        else if (piece === '\u001b[2J') lines.length = 0
        else if (piece === '\u001b[K')
          lines[row] = (lines[row] ?? '').slice(0, Math.min(column, size.columns - 1))
        else if (piece === '\r') column = 0
        else if (piece === '\n') [row, column] = [row + 1, 0]
        else [lines[row], column] = [piece, piece.length]
      }
      return true
    }
    return Object.assign(size, { write, shown: () => lines, hasCursor: () => cursor })
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

  test('keeps the last character of a line as wide as the terminal', () => {
    const terminal = screen(5)
    const { draw, done } = createRedraw(terminal)
    for (const line of ['12.50', '13.75']) {
      draw([line])
      expect(terminal.shown()).toEqual([line])
    }
    done()
  })

  test('leaves nothing of the previous lines after a change of the terminal size', () => {
    const terminal = screen()
    const { draw, done } = createRedraw(terminal)
    draw(['a wide line', 'another'])
    // The terminal wraps the wide line: the previous lines now take one row more.
    terminal.write('\n')
    terminal.columns = 8
    draw(['narrow'])
    expect(terminal.shown()).toEqual(['narrow'])
    draw(['next'])
    terminal.rows = 5
    draw(['low'])
    expect(terminal.shown()).toEqual(['low'])
    done()
  })

  test('leaves a line that is printed above the progress, and removes the progress', async () => {
    const terminal = Object.assign(screen(), { isTTY: true }) as unknown as NodeJS.WriteStream &
      ReturnType<typeof screen>
    const { print, hide } = showProgressLine(
      { stdout: terminal, stderr: terminal, env: {} },
      false,
      () => '5 rows',
    )
    await eventually(() => expect(terminal.shown()).toEqual(['5 rows']))
    print('lost')
    expect(terminal.shown()).toEqual(['lost'])
    await eventually(() => expect(terminal.shown()).toEqual(['lost', '5 rows']))
    hide()
    expect([terminal.shown(), terminal.hasCursor()]).toEqual([['lost'], true])
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
})
