import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import xterm from '@xterm/headless'

/** Adjacent characters of one row that have the same style. */
export interface Run {
  readonly column: number
  readonly text: string
  /** CSS classes of the text: `bold`, `dim`, and `c1` to `c7` for the colours of the terminal. */
  readonly style: string
}

/** The rows of the screen at one time. */
export type Frame = readonly (readonly Run[])[]

export interface Recording {
  readonly command: string
  readonly columns: number
  readonly rows: number
  /** Time before the first frame, in s. The frames follow at intervals of 1 s. */
  readonly skip: number
  readonly frames: number
}

/** Runs a command on a pseudo-terminal, and returns its screen once per second. Requires `script` of util-linux. */
export const record = async ({ command, columns, rows, skip, frames }: Recording): Promise<Frame[]> => {
  const sized = `stty cols ${columns} rows ${rows} && exec ${command}`
  const child = spawn('script', ['--quiet', '--command', sized, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm-256color', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  child.stdout.on('data', (chunk: Buffer) => terminal.write(chunk))
  while (terminal.buffer.active.getLine(0)?.translateToString(true) === '') {
    if (child.exitCode !== null) throw new Error(`${command} has drawn nothing`)
    await delay(10)
  }
  const start = performance.now()
  const recorded: Frame[] = []
  for (let frame = 0; frame < frames; frame++) {
    await delay(start + (skip + frame) * 1000 - performance.now())
    recorded.push(frameOf(terminal))
  }
  child.stdin.write('\u0003')
  terminal.dispose()
  return recorded
}

const frameOf = ({ rows, cols, buffer: { active } }: xterm.Terminal): Frame =>
  Array.from({ length: rows }, (_, row) => runsOf(active.getLine(active.baseY + row), cols))

const runsOf = (line: xterm.IBufferLine | undefined, columns: number): readonly Run[] => {
  const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column))
  const runs: Run[] = []
  cells.forEach((cell, column) => {
    const text = cell?.getChars() ?? ''
    const last = runs.at(-1)
    const style = styleOf(cell)
    if (last?.style === style) {
      runs.splice(-1, 1, { ...last, text: last.text + (text === '' ? ' ' : text) })
    } else runs.push({ column, text: text === '' ? ' ' : text, style })
  })
  return runs.flatMap(wordsOf)
}

const styleOf = (cell: xterm.IBufferCell | undefined): string =>
  [
    ...(cell?.isBold() ? ['bold'] : []),
    ...(cell?.isDim() ? ['dim'] : []),
    ...(cell?.isFgPalette() ? [`c${cell.getFgColor()}`] : []),
  ].join(' ')

/** Splits a run at two or more spaces, so that each part has its own column. */
const wordsOf = ({ column, text, style }: Run): readonly Run[] =>
  [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: word, index }) => ({
    column: column + index,
    text: word,
    style,
  }))
