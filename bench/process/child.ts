import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A question that stays unanswered for so long has gone wrong, in ms. */
const patience = 120_000

const bench = new URL('../', import.meta.url)

/** A process of its own that answers questions. `program` is a path below this benchmark's folder. */
export class Child {
  private readonly waiting = new Map<number, Waiting>()
  private readonly process: ChildProcess
  private readonly gone: Promise<void>
  private asked = 0

  constructor(
    private readonly program: string,
    nodeOptions: readonly string[] = [],
  ) {
    const typescript = program.endsWith('.ts') ? ['--import', 'tsx'] : []
    this.process = fork(fileURLToPath(new URL(program, bench)), [], {
      execArgv: [...typescript, ...nodeOptions],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.process.on('message', (reply: Reply) => this.answered(reply))
    this.gone = new Promise((resolve) => {
      this.process.once('exit', (code) => {
        for (const { reject } of this.waiting.values()) reject(new Error(`${program} ended with ${code}`))
        resolve()
      })
    })
  }

  async ask<T = unknown>(question: string, data: object = {}): Promise<T> {
    const id = ++this.asked
    const limit = setTimeout(() => {
      this.waiting.get(id)?.reject(new Error(`${this.program} does not answer to ${question}`))
    }, patience)
    try {
      return await new Promise<T>((resolve, reject) => {
        this.waiting.set(id, { resolve: (value) => resolve(value as T), reject })
        this.process.send({ id, question, data }, (error) => {
          if (error !== null) reject(error)
        })
      })
    } finally {
      clearTimeout(limit)
      this.waiting.delete(id)
    }
  }

  async end(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGKILL')
    await this.gone
  }

  private answered({ id, value, error }: Reply): void {
    if (error === undefined) this.waiting.get(id)?.resolve(value)
    else this.waiting.get(id)?.reject(new Error(`${this.program}: ${error}`))
  }
}

/** Runs `use` with a child that is gone afterwards, whatever happens. */
export const withChild = async <T>(
  program: string,
  use: (child: Child) => Promise<T>,
  nodeOptions: readonly string[] = [],
): Promise<T> => {
  const child = new Child(program, nodeOptions)
  try {
    return await use(child)
  } finally {
    await child.end()
  }
}
