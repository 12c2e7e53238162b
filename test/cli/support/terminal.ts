import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import type { EnvironmentVariables } from '../../support/process/environment.js'
import { commandLine, startCommand, type CliProcess } from './command.js'

/** Size of the terminal, in columns and rows. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A process on a pseudo-terminal. Its stdout is what the terminal receives. */
export interface TerminalProcess extends CliProcess {
  /** The screen that a terminal emulator draws from the output so far. */
  readonly screen: () => Promise<Screen>
  readonly resize: (size: TerminalSize) => void
  /** Types a text. Ctrl-C is `\u0003`. */
  readonly type: (text: string) => void
}

export interface Screen {
  /** The visible rows, without spaces at their ends. */
  readonly visible: readonly string[]
  /** The rows that have left the screen at the top. */
  readonly scrolledOut: readonly string[]
  /** True if the terminal has wrapped a visible row. */
  readonly isWrapped: boolean
  /** Position of the cursor in the visible rows. */
  readonly cursor: { readonly row: number; readonly column: number }
}

/** Starts the command `svc-streams` on a pseudo-terminal. */
export const startOnTerminal = (
  args: readonly string[],
  environment: EnvironmentVariables,
  size: TerminalSize,
): TerminalProcess => startShell(`exec ${shellWords(commandLine(...args))}`, environment, size)

export const shellWords = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

/**
 * Starts `bash` with a script on a pseudo-terminal. Another shell can end by the SIGINT of a Ctrl-C although its command
 * has handled it.
 */
export const startShell = (
  script: string,
  environment: EnvironmentVariables,
  { columns, rows }: TerminalSize,
): TerminalProcess => {
  const command = `stty cols ${columns} rows ${rows} && ${script}`
  const child = startCommand(['script', '--quiet', '--return', '--command', command, '/dev/null'], {
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    ...environment,
  })
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 })
  onTestFinished(() => emulator.dispose())
  child.process.stdout?.on('data', (chunk: Buffer) => emulator.write(chunk))
  return Object.defineProperties(child as TerminalProcess, {
    screen: { value: () => screenOf(emulator) },
    type: { value: (text: string) => child.process.stdin?.write(text) },
    resize: {
      value: (size: TerminalSize) => {
        emulator.resize(size.columns, size.rows)
        execFileSync('stty', ['-F', terminalOf(child), 'cols', `${size.columns}`, 'rows', `${size.rows}`])
      },
    },
  })
}

/** The pseudo-terminal, such as `/dev/pts/5`: that of the child of `script`. */
const terminalOf = ({ process: { pid = 0 } }: CliProcess): string => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return readlinkSync(`/proc/${children.trim()}/fd/0`)
}

const screenOf = async (emulator: xterm.Terminal): Promise<Screen> => {
  await new Promise<void>((resolve) => emulator.write('', resolve))
  const { length, baseY, cursorX, cursorY } = emulator.buffer.active
  const lines = Array.from({ length }, (_, index) => emulator.buffer.active.getLine(index))
  const texts = lines.map((line) => line?.translateToString(false, 0, emulator.cols).trimEnd() ?? '')
  return {
    visible: texts.slice(baseY),
    scrolledOut: texts.slice(0, baseY),
    isWrapped: lines.slice(baseY).some((line) => line?.isWrapped === true),
    cursor: { row: cursorY, column: cursorX },
  }
}
