import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const reporter = fileURLToPath(new URL('report-cpu.cjs', import.meta.url))
const bench = new URL('../', import.meta.url)

/** The CPU time of a program from the start of Node to its exit, in ms. `program`: relative to the folder of the benchmark. */
export const cpuOfProgram = async (program: string, args: readonly string[] = []): Promise<number> => {
  const file = fileURLToPath(new URL(program, bench))
  const child = spawn(process.execPath, ['--require', reporter, file, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[code: number | null]>
  const [micros, [code]] = await Promise.all([text(child.stdio[3] as Readable), exited])
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${String(code)}`)
  return Number(micros) / 1000
}
