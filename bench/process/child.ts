import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

interface Response {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

interface PendingRequest {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** In ms. */
const requestTimeout = 120_000

const bench = new URL('../', import.meta.url)

/** How a child process is started. The defaults are this Node and the folder of the benchmark. */
export interface ChildOptions {
  /** The path of the runtime. */
  readonly executable?: string
  /** The arguments of the runtime in front of the program. */
  readonly runArguments?: readonly string[]
  /** The folder that contains the program. */
  readonly folder?: URL
}

/** A child process that answers requests. `program` is a path relative to the folder of the benchmark. */
export class Child {
  private readonly pending = new Map<number, PendingRequest>()
  private readonly process: ChildProcess
  private readonly exited: Promise<void>
  private lastId = 0

  constructor(
    private readonly program: string,
    { executable = process.execPath, runArguments = [], folder = bench }: ChildOptions = {},
  ) {
    const typescript = program.endsWith('.ts') ? ['--import', 'tsx'] : []
    this.process = fork(fileURLToPath(new URL(program, folder)), [], {
      execPath: executable,
      execArgv: [...typescript, ...runArguments],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.process.on('message', (response: Response) => this.settle(response))
    this.exited = new Promise((resolve) => {
      this.process.once('exit', (code) => {
        for (const { reject } of this.pending.values()) reject(new Error(`${program} exited with ${code}`))
        resolve()
      })
    })
  }

  get pid(): number {
    return this.process.pid ?? NaN
  }

  async request<T = unknown>(method: string, params: object = {}): Promise<T> {
    const id = ++this.lastId
    const timeout = setTimeout(() => {
      this.pending.get(id)?.reject(new Error(`${this.program}: no response to ${method}`))
    }, requestTimeout)
    try {
      return await new Promise<T>((resolve, reject) => {
        this.pending.set(id, { resolve: (value) => resolve(value as T), reject })
        this.process.send({ id, method, params }, (error) => {
          if (error !== null) reject(error)
        })
      })
    } finally {
      clearTimeout(timeout)
      this.pending.delete(id)
    }
  }

  async kill(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGKILL')
    await this.exited
  }

  private settle({ id, value, error }: Response): void {
    if (error === undefined) this.pending.get(id)?.resolve(value)
    else this.pending.get(id)?.reject(new Error(`${this.program}: ${error}`))
  }
}

/** Runs `use` with a child process, and kills the child afterwards. */
export const withChild = async <T>(
  program: string,
  use: (child: Child) => Promise<T>,
  options?: ChildOptions,
): Promise<T> => {
  const child = new Child(program, options)
  try {
    return await use(child)
  } finally {
    await child.kill()
  }
}
