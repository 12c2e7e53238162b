import xterm from '@xterm/headless'
import { describe, expect, onTestFinished, test } from 'vitest'
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
  test('replaces the previous lines by more or fewer lines, and prints the last ones below the earlier output', async () => {
    const terminal = screen()
    terminal.write('$ watch\n')
    const { draw, done } = createRedraw(terminal)
    for (const lines of [['one'], ['a', 'b', 'c'], ['x', 'y']]) {
      draw(lines)
      expect(await terminal.shown()).toEqual(lines)
    }
    done()
    expect(await terminal.shown()).toEqual(['$ watch', 'x', 'y'])
  })

  test('keeps the last character of a line as wide as the terminal', async () => {
    const terminal = screen(5)
    const { draw, done } = createRedraw(terminal)
    for (const line of ['12.50', '13.75']) {
      draw([line])
      expect(await terminal.shown()).toEqual([line])
    }
    done()
  })

  test('leaves nothing of the previous lines after a change of the terminal size, and after line breaks that are typed', async () => {
    const terminal = screen()
    const { draw, done } = createRedraw(terminal)
    draw(['a wide line', 'another'])
    terminal.resize(8, 24)
    draw(['narrow'])
    expect(await terminal.shown()).toEqual(['narrow'])
    terminal.write('\n'.repeat(30))
    draw(['next', 'line'])
    expect(await terminal.shown()).toEqual(['next', 'line'])
    done()
  })

  test('leaves a line that is printed above the progress, and removes the progress', async () => {
    const terminal = screen()
    const output = Object.assign(terminal, { isTTY: true }) as unknown as NodeJS.WriteStream
    const { print, hide } = showProgressLine({ stderr: output, env: {} }, () => '5 rows')
    await eventually(async () => expect(await terminal.shown()).toEqual(['5 rows']))
    print('lost')
    expect(await terminal.shown()).toEqual(['lost'])
    await eventually(async () => expect(await terminal.shown()).toEqual(['lost', '5 rows']))
    hide()
    expect(await terminal.shown()).toEqual(['lost'])
  })

  test('shows the cursor and the earlier output again when the process exits early', () => {
    const before = process.listeners('exit')
    const written: string[] = []
    const { done } = createRedraw({ write: (text: string) => written.push(text) > 0 })
    const [restore] = process.listeners('exit').filter((listener) => !before.includes(listener))
    restore?.(0)
    expect(written.pop()).toBe('\u001b[?1049l\u001b[?25h')
    done()
    expect(process.listeners('exit')).toEqual(before)
  })
})

/** A terminal emulator of 24 rows. */
const screen = (columns = 80) => {
  const emulator = new xterm.Terminal({ cols: columns, rows: 24, allowProposedApi: true, convertEol: true })
  onTestFinished(() => emulator.dispose())
  return {
    columns,
    write: (text: string): boolean => {
      emulator.write(text)
      return true
    },
    resize: (cols: number, rows: number) => emulator.resize(cols, rows),
    /** The rows of the screen that are not empty. */
    shown: async (): Promise<readonly string[]> => {
      await new Promise<void>((resolve) => emulator.write('', resolve))
      const { active } = emulator.buffer
      const rows = Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true) ?? '',
      )
      return rows.filter((row) => row !== '')
    },
  }
}
