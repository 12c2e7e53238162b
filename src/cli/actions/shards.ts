import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileProblem, messageOf, printable } from '../../base/errors/text.js'
import { fileSize, readFileEnds } from '../../backtest/recording/files/files.js'
import type { Shard } from '../input/parse-flags.js'
import { pacedBy, print, type Io } from '../io.js'
import { version } from '../manifest.js'
import { withoutResult, type BacktestFiles } from './backtest.js'

// A sweep in parts, on several machines: each part runs some of the parameters, and the outputs are joined.

export const inShard = <A>(all: readonly A[], { index, of }: Shard): readonly A[] =>
  all.filter((_, at) => at % of === index - 1)

/** What the parts of one sweep have in common, each as a short text. */
export type SweepIdentity = Readonly<
  Record<'recording' | 'module' | 'list of parameters' | 'range' | 'version', string>
>

/** Of a recording, the size, the start and the end are compared: it may have many gigabytes. */
export const identityOf = async (
  { recordings, module }: BacktestFiles,
  parameters: readonly unknown[],
  range: object,
): Promise<SweepIdentity> => ({
  recording: digest((await Promise.all(recordings.map(endsOf))).flat()),
  module: digest([readFileSync(module)]),
  'list of parameters': digest([JSON.stringify(parameters)]),
  range: digest([JSON.stringify(range)]),
  version,
})

const digest = (parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex').slice(0, 12)
}

const endsOf = async (path: string): Promise<readonly (string | Uint8Array)[]> => {
  const size = await fileSize(path)
  return [String(size), ...(await readFileEnds(path, size))]
}

/** The line of a result, with its position among all results. `number`: of the result in the shard, from 0. */
export const shardLine = (
  json: string,
  { index, of }: Shard,
  number: number,
  parameters: number,
  sweep: SweepIdentity,
): string => {
  const position = { index: index - 1 + number * of, of, parameters, sweep }
  return `${json.slice(0, -1)},"position":${JSON.stringify(position)}}`
}

const positionAtEnd = /,"position":\{"index":(\d+),"of":(\d+),"parameters":(\d+),"sweep":(\{[^{}]*\})\}\}$/

/** Prints the lines of the whole sweep. Throws if one is missing, or a parameter has no result. */
export const mergeShards = async (io: Io, files: readonly string[]): Promise<void> => {
  const merged = new MergedShards()
  for (const file of files) await merged.read(file)
  const lines = merged.lines()
  for await (const line of pacedBy(io.stdout, lines)) io.stdout.write(`${line}\n`)
  await print('', io.stdout)
  const failures = lines.filter((line) => line.startsWith('{"_tag":"Left"')).length
  if (failures > 0) throw withoutResult(failures, lines.length, 'parameter', { _tag: 'SweepError' })
}

class MergedShards {
  private readonly found = new Map<number, string>()
  private of: number | undefined
  private parameters: number | undefined
  /** JSON. */
  private sweep: string | undefined

  /** Throws if the file cannot be read, or a line is not one of this sweep. */
  async read(file: string): Promise<void> {
    let number = 0
    try {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        number++
        if (line !== '') this.add(line)
      }
    } catch (thrown) {
      if (number === 0) throw new Error(`${printable(file)} ${fileProblem(thrown)}`, { cause: thrown })
      throw new Error(`line ${number} of ${printable(file)}: ${messageOf(thrown)}`, { cause: thrown })
    }
  }

  private add(line: string): void {
    const position = positionAtEnd.exec(line)
    if (position === null || !line.startsWith('{"_tag":'))
      throw new Error('expected a line of sweep --shard --json')
    const [index = 0, of = 0, parameters = 0] = position.slice(1).map(Number)
    const sweep = position[4] ?? ''
    this.of ??= of
    this.parameters ??= parameters
    if (of !== this.of || parameters !== this.parameters)
      throw new Error(
        `expected a part of ${this.of} of a sweep with ${this.parameters} parameters, got one of ${of} with ${parameters}`,
      )
    this.sweep ??= sweep
    if (sweep !== this.sweep) throw new Error(differenceText(this.sweep, sweep))
    const result = `${line.slice(0, position.index)}}`
    const known = this.found.get(index)
    if (known !== undefined && known !== result)
      throw new Error(`parameter ${index + 1} has another result in an earlier line`)
    this.found.set(index, result)
  }

  /** The results in the order of the parameters. Throws if one is missing. */
  lines(): readonly string[] {
    const { of, parameters, found } = this
    if (of === undefined || parameters === undefined) throw new Error('the files have no result')
    const missing = new Set<number>()
    for (let index = 0; index < parameters; index++) if (!found.has(index)) missing.add((index % of) + 1)
    if (missing.size > 0)
      throw new Error(
        `missing or not complete: ${[...missing]
          .sort((a, b) => a - b)
          .map((index) => `${index}/${of}`)
          .join(', ')}`,
      )
    return Array.from({ length: parameters }, (_, index) => found.get(index) ?? '')
  }
}

/** Both are JSON of a `SweepIdentity`. */
const differenceText = (first: string, other: string): string => {
  const [known, found] = [first, other].map((text) => JSON.parse(text) as SweepIdentity)
  const names = Object.entries(known ?? {}).filter(
    ([name, text]) => found?.[name as keyof SweepIdentity] !== text,
  )
  return `is of another sweep than the lines before, with another ${names.map(([name]) => name).join(' and another ')}`
}
