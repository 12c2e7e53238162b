import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { counted, countText, formatTime } from '../../display/texts.js'
import { printable } from '../../../base/errors/text.js'
import { journalJson } from '../../../backtest/recording/journal/journal.js'
import type { Output } from '../../../backtest/sweep/messages.js'
import { linesBefore, prefixRuns, type PlayedLine } from '../../../backtest/sweep/look-ahead/prefix-runs.js'
import { packagedProgram } from '../../../backtest/sweep/worker-pool.js'
import { backtestFiles, checkedStrategy, jsonText, strategyParameter } from './backtest.js'
import { wholeLines } from '../../../wire/platform/node/file-lines.js'
import { attempt } from '../input/read-file.js'
import type { Io } from '../io.js'
import { outputJson } from '../output/json.js'
import { unlessStopped } from '../stop.js'

interface VerifyFlags {
  readonly journal: string
  readonly parameter?: string
  /** In ms since the Unix epoch. */
  readonly from?: number
  /** In ms since the Unix epoch. */
  readonly to?: number
  readonly json?: boolean
}

/** A line of a journal. */
interface Entry {
  /** Number of the line, from 1. */
  readonly line: number
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly value: unknown
}

/** Number of lines of the recording that are shown before a difference. */
const shownLines = 3

/** Compares the values of a strategy over a recording with those of a journal. Throws at the first difference. */
export const verifyJournal = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { journal, parameter: text, from, to, json = false }: VerifyFlags,
): Promise<void> => {
  const backtest = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  using strategy = await checkedStrategy(backtest, range)
  const paths = backtest.recordings
  const program = { url: packagedProgram() }
  const { run$ } = prefixRuns({ program, paths, strategy: strategy.url.href, parameter, replay: range })
  const outputs = await unlessStopped(io, run$(Infinity))
  if (outputs === undefined) return void io.stderr.write('stopped: the comparison has not ended\n')

  const values = outputs.filter(({ event }) => event._tag === 'Value')
  const ended = outputs.find(({ event }) => event._tag !== 'Value')
  let count = 0
  let before: Entry | undefined
  for await (const entry of readJournal(journal)) {
    const output = values[count] ?? ended
    if (jsonOf(output) !== journalJson(entry.value)) {
      const lines = await linesBefore(paths, { at: entry.at, line: values[count]?.line }, shownLines)
      if (output?.event._tag === 'Completed' && (await isAfterEnd(paths, entry))) break
      return reportDifference(io, { journal, entry, before, output, lines, number: count + 1 }, json)
    }
    count++
    before = entry
  }
  if (count === 0) throw new Error(`${printable(journal)}: the journal has no value to compare`)
  const later = values.length - count
  const rest = later === 0 ? '' : `; the replay has ${countText(later)} more after the end of the journal`
  io.stdout.write(
    json
      ? `${outputJson({ _tag: 'Equal', values: count, later })}\n`
      : `equal: ${counted(count, 'value')}${rest}\n`,
  )
}

/** True if the live run gave a value after the last line of the recording, from a timer for example. */
const isAfterEnd = async (paths: readonly string[], { at }: Entry): Promise<boolean> => {
  const [last] = await linesBefore(paths, { at: Infinity, line: undefined }, 1)
  return last !== undefined && at > last.at
}

/** The JSON of a value as a journal has it; `undefined` for the end of the stream. */
const jsonOf = (output: Output | undefined): string | undefined =>
  output?.event._tag === 'Value' ? journalJson(JSON.parse(journalJson(output.event.value))) : undefined

/** The lines of a journal. */
async function* readJournal(path: string): AsyncGenerator<Entry> {
  let line = 0
  for await (const text of wholeLines(path)) yield entryOf(text, ++line, path)
}

const entryOf = (text: string, line: number, path: string): Entry => {
  const parsed = attempt(() => JSON.parse(text) as Partial<Entry> | null)
  if (!isLeft(parsed) && typeof parsed.right?.at === 'number' && 'value' in parsed.right)
    return { line, at: parsed.right.at, value: parsed.right.value }
  throw new Error(`${printable(path)}, line ${line}: expected a line like {"at":1795601234567,"value":…}`)
}

interface Difference {
  readonly journal: string
  /** Number of the value, from 1. */
  readonly number: number
  readonly entry: Entry
  readonly before: Entry | undefined
  readonly output: Output | undefined
  readonly lines: readonly PlayedLine[]
}

const reportDifference = (
  io: Io,
  { journal, number, entry, before, output, lines }: Difference,
  json: boolean,
): never => {
  const replayed = output?.event ?? null
  io.stdout.write(
    json
      ? `${outputJson({ _tag: 'Different', number, line: entry.line, at: entry.at, live: entry.value, replay: replayed, lines })}\n`
      : [
          `value ${number}, line ${entry.line} of ${printable(journal)}, ${formatTime(entry.at)}`,
          `  live    ${jsonText(entry.value)}`,
          `  replay  ${replayText(output)}`,
          ...(before === undefined ? [] : [`the value before it, which is equal: ${jsonText(before.value)}`]),
          'the last lines of the recording before it:',
          ...lines.map(
            ({ source, line, at, row }) =>
              `  ${printable(source)}, line ${line}, ${formatTime(at)}: ${jsonText(row)}`,
          ),
          '',
        ].join('\n'),
  )
  throw new Error(`the replay differs from the live run at value ${number}`)
}

const replayText = (output: Output | undefined): string => {
  const event = output?.event
  if (event === undefined) return 'no value'
  if (event._tag === 'Value') return jsonText(event.value)
  return event._tag === 'Failed' ? printable(`the stream fails: ${event.message}`) : 'the stream completes'
}
