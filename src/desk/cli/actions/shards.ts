import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { messageOf, printable } from '../../../base/errors/text.js'
import type { Shard } from '../input/parse-flags.js'
import { pacedBy, print, type Io } from '../io.js'
import { withoutResult } from './backtest.js'

// A sweep in parts, on several machines: each part runs some of the parameters, and the outputs are joined.

export const inShard = <A>(all: readonly A[], { index, of }: Shard): readonly A[] =>
  all.filter((_, at) => at % of === index - 1)

/** The line of a result, with its position among all results. `number`: of the result in the shard, from 0. */
export const shardLine = (json: string, { index, of }: Shard, number: number, parameters: number): string => {
  const position = { index: index - 1 + number * of, of, parameters }
  return `${json.slice(0, -1)},"position":${JSON.stringify(position)}}`
}

const positionAtEnd = /,"position":\{"index":(\d+),"of":(\d+),"parameters":(\d+)\}\}$/

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

  /** Throws if the file cannot be read, or a line is not one of this sweep. */
  async read(file: string): Promise<void> {
    let number = 0
    try {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        number++
        if (line !== '') this.add(line)
      }
    } catch (thrown) {
      throw new Error(`line ${number} of ${printable(file)}: ${messageOf(thrown)}`, { cause: thrown })
    }
  }

  private add(line: string): void {
    const position = positionAtEnd.exec(line)
    if (position === null || !line.startsWith('{"_tag":'))
      throw new Error('expected a line of sweep --shard --json')
    const [index = 0, of = 0, parameters = 0] = position.slice(1).map(Number)
    this.of ??= of
    this.parameters ??= parameters
    if (of !== this.of || parameters !== this.parameters)
      throw new Error(
        `expected a part of ${this.of} of a sweep with ${this.parameters} parameters, got one of ${of} with ${parameters}`,
      )
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
