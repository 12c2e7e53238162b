import { createInterface } from 'node:readline'
import { jumpWallClock, suspendClockWithProcess } from './clock-jumps.js'
import { watchPauses } from './watch-pauses.js'
import type { Command, Line } from './lines.js'

/** Prints a line for the test. */
export const print = (line: Line): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** The commands that only one of the programs runs. */
export type ProgramCommand = Exclude<Command, string | { readonly jump: number }>

const onClockChanged = (change: () => void): void => {
  change()
  print({ type: 'clock changed' })
}

/**
 * Runs a program of these tests: it runs the commands that it reads, until `close` or a signal. `isBlocking`: true while the
 * program blocks its event loop itself, which is no fault of the machine.
 */
export const serveCommands = (
  resource: { readonly inspect: () => unknown; readonly close: () => Promise<void> },
  run: (command: ProgramCommand) => void,
  isBlocking = (): boolean => false,
): void => {
  const stopWatching = watchPauses((from, to) => {
    if (!isBlocking()) print({ type: 'pause', from, to })
  })
  const commands = createInterface(process.stdin)
  const close = async (): Promise<void> => {
    commands.close()
    // A paused pipe keeps the process.
    process.stdin.destroy()
    stopWatching()
    await resource.close()
    print({ type: 'closed' })
  }
  commands.on('line', (text) => {
    const command = JSON.parse(text) as Command
    if (command === 'inspect') print({ type: 'inspected', snapshot: resource.inspect() })
    else if (command === 'close') void close()
    else if (command === 'suspend clock with process') onClockChanged(suspendClockWithProcess)
    else if ('jump' in command) onClockChanged(() => jumpWallClock(command.jump))
    else run(command)
  })
  print({ type: 'started' })
}
