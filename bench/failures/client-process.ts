import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** An event that the user of a client receives, in the order of arrival. `exit`: the process ended. */
export interface Report {
  readonly at: number
  readonly kind: 'ready' | 'price' | 'event' | 'end' | 'exit'
  readonly subscriber?: number
  /** The price, or the name of the event. */
  readonly value?: unknown
}

/** A process with one client of the service at `url`. */
export class ClientProcess {
  readonly reports: Report[] = []
  private readonly process: ChildProcess

  constructor(name: string, url: string) {
    const program = fileURLToPath(new URL('program.mjs', import.meta.url))
    // The stack of an exception would hide the table.
    this.process = fork(program, [name, url], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.process.on('message', (report: Omit<Report, 'at'>) => this.add(report))
    this.process.once('exit', () => this.add({ kind: 'exit' }))
  }

  subscribe(subscriber: number, topic: string): void {
    this.process.send({ method: 'subscribe', subscriber, topic })
  }

  unsubscribe(subscriber: number): void {
    this.process.send({ method: 'unsubscribe', subscriber })
  }

  kill(): void {
    this.process.kill('SIGKILL')
  }

  private add(report: Omit<Report, 'at'>): void {
    this.reports.push({ ...report, at: performance.now() })
  }
}
