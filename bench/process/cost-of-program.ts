import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const reporter = fileURLToPath(new URL('report-cost.cjs', import.meta.url))
const bench = new URL('../', import.meta.url)

export interface ProgramCost {
  /** From the start of Node to the exit. */
  readonly cpuMs: number
  readonly peakMegabytes: number
}

/** What a program costs. `program`: relative to the folder of the benchmark. */
export const costOfProgram = async (program: string, args: readonly string[] = []): Promise<ProgramCost> => {
  const file = fileURLToPath(new URL(program, bench))
  const child = spawn(process.execPath, ['--require', reporter, file, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[code: number | null]>
  const [report, [code]] = await Promise.all([text(child.stdio[3] as Readable), exited])
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${String(code)}`)
  const [micros, kilobytes] = report.split(' ').map(Number)
  return { cpuMs: (micros ?? NaN) / 1000, peakMegabytes: (kilobytes ?? NaN) / 1024 }
}
