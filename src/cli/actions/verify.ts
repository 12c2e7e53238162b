import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { counted, countText, formatTime } from '../../view/texts.js'
import { printable } from '../../base/errors/text.js'
import { plainObject } from '../../base/option-kinds/option.js'
import { journalJson } from '../../backtest/recording/journal/journal.js'
import type { Output } from '../../backtest/sweep/messages.js'
import {
  linesBefore,
  prefixRuns,
  type PlayedLine,
  type PrefixRun,
} from '../../backtest/sweep/look-ahead/prefix-runs.js'
import { packagedProgram } from '../../backtest/sweep/worker-pool.js'
import { backtestFiles, checkedStrategy, jsonText, strategyParameter } from './backtest.js'
import { comparisonProgress } from './look-ahead.js'
import { journalEntries, journalRuns, type Entry, type JournalRun } from './journal-runs.js'
import { definedRange } from '../../backtest/recording/replay/replay-options.js'
import { rangeOf, type RangeFlags } from '../input/range.js'
import type { Io } from '../io.js'
import { outputJson } from '../output/json.js'
import { unlessStopped } from '../stop.js'

interface VerifyFlags extends RangeFlags {
  readonly journal: string
  readonly parameter?: string
  readonly json?: boolean
}

/** Number of lines of the recording that are shown before a difference. */
const shownLines = 3

/** Compares the values of a strategy over a recording with those of a journal. Throws at the first difference. */
export const verifyJournal = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { journal, parameter: text, json = false, ...flags }: VerifyFlags,
): Promise<void> => {
  const backtest = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  const range = rangeOf(command, flags)
  using strategy = await checkedStrategy(backtest, range)
  const paths = backtest.recordings
  const program = { url: packagedProgram() }
  const module = { program, paths, strategy: strategy.url.href, parameter }
  const runs = await journalRuns(journal)
  let next = 0
  let run: PlayedRun | undefined
  let count = 0
  let before: Entry | undefined
  for await (const entry of journalEntries(journal)) {
    for (
      let started = runs[next];
      started !== undefined && started.line <= entry.line;
      started = runs[++next]
    )
      run = { ...started, isOver: false, first: count }
    if (run === undefined || run.isOver) continue
    run.outputs ??= await playRun(io, module, run, range)
    if (run.outputs === undefined) return
    const output = run.outputs[count - run.first]
    if (jsonOf(output) !== journalJson(entry.value)) {
      run.isOver =
        entry.line >= run.endLine || (output?.event._tag === 'Completed' && (await isAfterEnd(paths, entry)))
      if (run.isOver) continue
      // Lines are counted from the first one that is played.
      const isWhole = run.from === -Infinity && range.from === undefined
      const line = isWhole && output?.event._tag === 'Value' ? output.line : undefined
      const lines = await linesBefore(paths, { at: entry.at, line }, shownLines)
      return reportDifference(io, { journal, entry, before, output, lines, number: count + 1 }, json)
    }
    count++
    before = entry
  }
  if (count === 0) throw new Error(`${printable(journal)}: the journal has no value to compare`)
  const later = valuesIn(run?.outputs ?? []) - (count - (run?.first ?? 0))
  const rest = later === 0 ? '' : `; the replay has ${countText(later)} more after the end of the journal`
  io.stdout.write(
    json
      ? `${outputJson({ _tag: 'Equal', values: count, later })}\n`
      : `equal: ${counted(count, 'value')}${rest}\n`,
  )
}

/** A run of the journal, with its replay. */
interface PlayedRun extends JournalRun {
  /** The number of values before it. */
  readonly first: number
  outputs?: readonly Output[] | undefined
  /** True if the rest of the run is not compared. */
  isOver: boolean
}

/** Replays a run, which continues the account of the run before it. Undefined if the reader has closed the output. */
const playRun = async (
  io: Io,
  module: Pick<PrefixRun, 'program' | 'paths' | 'strategy' | 'parameter'>,
  { from, to, before }: JournalRun,
  given: RangeFlags,
): Promise<readonly Output[] | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  try {
    const first = Math.max(from, given.from ?? -Infinity)
    const end = Math.min(to, given.to ?? Infinity)
    const replay = definedRange(first === -Infinity ? undefined : first, end === Infinity ? undefined : end)
    const journal = join(folder, 'account.ndjson')
    if (before.length > 0) writeFileSync(journal, before.map((line) => `${line}\n`).join(''))
    const account = before.length === 0 ? {} : { journal }
    return await unlessStopped(
      io,
      prefixRuns({ ...module, ...account, replay }).run$(Infinity),
      comparisonProgress,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const valuesIn = (outputs: readonly Output[]): number =>
  outputs.filter(({ event }) => event._tag === 'Value').length

/** True if the live run gave a value after the last line of the recording, from a timer for example. */
const isAfterEnd = async (paths: readonly string[], { at }: Entry): Promise<boolean> => {
  const [last] = await linesBefore(paths, { at: Infinity, line: undefined }, 1)
  return last !== undefined && at > last.at
}

/** The JSON of a value as a journal has it; `undefined` for the end of the stream. */
const jsonOf = (output: Output | undefined): string | undefined =>
  output?.event._tag === 'Value' ? journalJson(JSON.parse(journalJson(output.event.value))) : undefined

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
          ...fieldDifferences(entry.value, output).map((text) => `  ${text}`),
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

/** The fields of an object that differ: a line shows only the beginning of a value. */
const fieldDifferences = (live: unknown, output: Output | undefined): readonly string[] => {
  const replayed = output?.event._tag === 'Value' ? output.event.value : undefined
  if (!plainObject.holds(live) || !plainObject.holds(replayed)) return []
  const fields = new Map<string, unknown>(Object.entries(replayed as object))
  return Object.entries(live as object)
    .map(([name, value]) => [name, jsonText(value), jsonText(fields.get(name))] as const)
    .filter(([, one, two]) => one !== two)
    .map(([name, one, two]) => `${name} is ${one} in the live run, ${two} in the replay`)
}

const replayText = (output: Output | undefined): string => {
  const event = output?.event
  if (event === undefined) return 'no value'
  if (event._tag === 'Value') return jsonText(event.value)
  return event._tag === 'Failed' ? printable(`the stream fails: ${event.message}`) : 'the stream completes'
}
