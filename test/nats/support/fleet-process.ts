import { createInterface } from 'node:readline'
import { compiledPath, spawnNode, type NodeProcess } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'
import type { Command, Line } from './lines.js'

/** A gateway or consumer in a process of its own. */
export class FleetProcess {
  readonly lines: Line[] = []
  private readonly child: NodeProcess
  /** The times of its `SIGSTOP` and `SIGCONT`, in ms since the epoch. */
  private readonly stops: { readonly from: number; to: number }[] = []

  constructor(program: string, args: readonly unknown[], onFinished: (kill: () => void) => void) {
    const file = compiledPath(`test/nats/programs/${program}.ts`)
    this.child = spawnNode([file, ...args.map((arg) => JSON.stringify(arg))], { onFinished })
    const { stdout, stdin } = this.child.process
    stdin?.on('error', () => undefined)
    if (stdout !== null) {
      createInterface(stdout).on('line', (text) => this.lines.push(JSON.parse(text) as Line))
    }
  }

  /** Resolves when the program runs. Rejects with its output if it ends instead. */
  async started(): Promise<void> {
    const { process } = this.child
    await eventually(() => process.exitCode !== null || this.has('started'))
    if (!this.has('started')) throw new Error(this.child.output)
  }

  send(command: Command): void {
    this.child.process.stdin?.write(`${JSON.stringify(command)}\n`)
  }

  /** Sends a signal. Returns the time, in ms since the epoch: before that at which a process may continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): number {
    const before = Date.now()
    this.child.process.kill(signal)
    const now = signal === 'SIGCONT' ? before : Date.now()
    if (signal === 'SIGSTOP') this.stops.push({ from: now, to: Infinity })
    const stop = this.stops.at(-1)
    if (signal === 'SIGCONT' && stop !== undefined) stop.to = now
    return now
  }

  /** Changes the clocks of the process. Resolves when they have changed. */
  async changeClock(
    command: Extract<Command, 'suspend clock with process' | { readonly jump: number }>,
  ): Promise<void> {
    const count = this.lines.length
    this.send(command)
    await eventually(() => this.lines.slice(count).some(({ type }) => type === 'clock changed'))
  }

  async inspect(): Promise<unknown> {
    const count = this.lines.length
    this.send('inspect')
    const isResult = (line: Line) => line.type === 'inspected'
    await eventually(() => this.lines.slice(count).some(isResult))
    const line = this.lines.slice(count).find(isResult)
    return line?.type === 'inspected' ? line.snapshot : undefined
  }

  /** Resolves to the exit code, or to the name of the signal that terminated the process. */
  exit(): Promise<number | NodeJS.Signals> {
    return this.child.waitForExit()
  }

  /** The time between two moments in which the machine was too busy to run this process, in ms. Its own stops do not count. */
  pauseBetween(from: number, to: number): number {
    return this.lines
      .flatMap((line) => (line.type === 'pause' ? [line] : []))
      .filter((pause) => !this.stops.some((stop) => pause.from < stop.to && pause.to > stop.from))
      .map((pause) => Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)))
      .reduce((sum, pause) => sum + pause, 0)
  }

  /** Its output, for the message of a failed test. */
  get output(): string {
    return this.child.stderr
  }

  private has(type: Line['type']): boolean {
    return this.lines.some((line) => line.type === type)
  }
}
