import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, catchError, endWith, filter, identity, map, merge, of, takeUntil, tap } from 'rxjs'
import { bigintAsText } from '../../base/domain/plain-decimal.js'
import { escapeUnsafe, printable } from '../../base/errors/text.js'
import type { Costs } from '../../backtest/account/options.js'
import { decodeJournalLine } from '../../backtest/account/journal/journal-codec.js'
import { journalTags, startTag } from '../../backtest/account/journal/journal.js'
import { withTerms } from '../../backtest/account/terms.js'
import { wholeLines } from '../../backtest/recording/files/line-file.js'
import type { RecordingHeader, Row } from '../../backtest/recording/codec/row.js'
import { journalJson } from '../../backtest/recording/write/journal.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { lineInFile, type EntryOrigin } from '../../backtest/recording/read/read-entries.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { replaySources } from '../../backtest/replay/replay.js'
import { replaySettings } from '../../backtest/replay/replay-options.js'
import { strategyFault, strategyText, sweepError } from '../../backtest/sweep/sweep-error.js'
import { loadStrategy } from '../../backtest/sweep/worker/load-strategy.js'
import { counted, formatTime } from '../../view/texts.js'
import { rangeFlags, rangeOf, type PlayedRange } from '../target/range.js'
import { attempt } from '../target/read-file.js'
import type { Io } from '../io.js'
import { failureOf, orFail } from '../render/error-text.js'
import { numberFormat, outputJson } from '../render/terminal.js'
import { completes } from '../stop.js'
import { backtestFiles, checkedStrategy, jsonText, type BacktestFiles } from './shared/replayed-strategy.js'
import { defineCommand, many, parameterFlag } from './shared/parts.js'
import { costFlags, costsOf } from './shared/strategy-module.js'
import { onlyGiven, requiredFlag, toggle, type Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams verify market.ndjson strategy.js --journal live.ndjson
      Check that a live run of the strategy gave the values that a replay of its recording gives.
  $ npx svc-streams verify monday.ndjson tuesday.ndjson strategy.js --journal desk.ndjson
      Compare the events of an account over two runs of paper, each with its recording.

The live run writes the journal, and the recording is that of its client:

  record(client, { topics, to: 'market.ndjson' })
  strategy(client).pipe(journal('live.ndjson')).subscribe()

The journal of paper has the events of an account, for the module of paper, with the costs that paper had as flags. Values after
the end of the recordings, or after the last line of the journal, are not compared.

Exit codes: 0 if all values of the journal are equal; 1 at the first difference, or if there is none to compare.`

const flags = {
  journal: requiredFlag(
    '--journal <file>',
    'the values of the live run, as the operator journal or the command paper writes them',
  ),
  parameter: parameterFlag,
  ...costFlags,
  ...rangeFlags,
  json: toggle('--json', 'print the result as one JSON object'),
}

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/verify.md',
  arguments: many('<file...>', 'recordings, plain or gzip, and last the module of the strategy'),
  flags,
  action: verifyJournal,
})

async function verifyJournal(
  io: Io,
  _command: Command,
  { journal, parameter, json = false, ...given }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  const backtest = backtestFiles(files)
  const range = rangeOf(given)
  const costs = costsOf(given)
  using strategy = await checkedStrategy(backtest, range)
  let [equal, afterEnd, later] = [0, 0, 0]
  const runs = await journalRuns(journal)
  for (const [index, run] of runs.entries()) {
    if (run.entries.length === 0) continue
    // Node evaluates a module once for each fragment of its URL.
    const url = `${strategy.url.href}#${index}`
    const part = partBetween(range, run.from, runs[index + 1]?.from)
    if ((part.from ?? -Infinity) >= (part.to ?? Infinity)) {
      if (run.from >= (range.to ?? Infinity)) afterEnd += run.entries.length
      continue
    }
    const compared = await compareRun(io, run, { ...backtest, url, parameter, costs, range: part })
    if (compared === undefined) return
    equal += compared.equal
    later = compared.later
    if (compared.difference !== undefined) {
      io.stdout.write(`${await differenceText(journal, equal + 1, compared.difference, json)}\n`)
      throw new Error(`the replay differs from the live run at value ${equal + 1}`)
    }
    afterEnd += run.entries.length - compared.equal
  }
  if (equal === 0) throw new Error(`${printable(journal)}: the journal has no value to compare`)
  const grouped = numberFormat(io.stdout)
  const texts = [`equal: ${counted(equal, 'value', grouped)}`]
  if (afterEnd > 0)
    texts.push(`${grouped(String(afterEnd))} came after the end of the recordings and were not compared`)
  if (later > 0)
    texts.push(`the replay has ${grouped(String(later))} more, after the last one that was compared`)
  io.stdout.write(
    `${json ? outputJson({ _tag: 'Equal', values: equal, afterEnd, later }) : texts.join('; ')}\n`,
  )
}

/** A value of a journal, or an event of an account. */
interface Entry {
  readonly isEvent: boolean
  /** Number of the line, from 1. */
  readonly line: number
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly json: string
  /** Of the order of an event. */
  readonly id?: unknown
  readonly decidedAt?: unknown
}

/** A run that wrote to a journal. The values of a journal count as one run. */
interface JournalRun {
  /** When it began, in ms since the Unix epoch. A first run may have begun earlier. */
  readonly from: number
  /** The line of the state of the account before it; undefined for a new account. */
  readonly before: string | undefined
  readonly entries: Entry[]
}

const journalRuns = async (path: string): Promise<readonly JournalRun[]> => {
  let run: JournalRun = { from: -Infinity, before: undefined, entries: [] }
  const runs = [run]
  let line = 0
  let state: string | undefined
  /** The events of an account whose state does not follow were not emitted. */
  let unsaved: Entry[] = []
  for await (const text of wholeLines(path)) {
    const parsed = attempt(() => JSON.parse(text) as Partial<Record<string, unknown>> | null)
    const fields = (isLeft(parsed) ? undefined : parsed.right) ?? {}
    const { _tag, at, value } = fields
    line++
    if (typeof at !== 'number' || !('value' in fields || journalTags.has(_tag)))
      throw new Error(`${printable(path)}, line ${line}: expected a line like {"at":1795601234567,"value":…}`)
    if (_tag === undefined) run.entries.push({ line, at, isEvent: false, json: JSON.stringify(value) })
    else if (_tag === 'State') {
      run.entries.push(...unsaved)
      unsaved = []
      state = text
    } else if (_tag === startTag) {
      unsaved = []
      run = { from: line === 1 ? -Infinity : at, before: state, entries: [] }
      runs.push(run)
    }
    // The last value and the account depend on when the run was stopped.
    else if (_tag === 'Account') unsaved = []
    else {
      const { id, decidedAt } = fields
      unsaved.push({ line, at, isEvent: true, json: JSON.stringify(fields), id, decidedAt })
    }
  }
  return runs
}

/** The part of a range between the start of a run and that of the next one. */
const partBetween = (range: PlayedRange, from: number, next = Infinity): PlayedRange => {
  const [first, last] = [Math.max(from, range.from ?? -Infinity), Math.min(next, range.to ?? Infinity)]
  return onlyGiven({
    from: first === -Infinity ? undefined : first,
    to: last === Infinity ? undefined : last,
  })
}

/** An event of the replayed strategy. */
type Output =
  | { readonly _tag: 'Value'; readonly value: unknown }
  | { readonly _tag: 'Completed' }
  | { readonly _tag: 'Failed'; readonly message: string }

/** A line of a recording, and where it comes from. */
interface PlayedLine extends Pick<EntryOrigin, 'source' | 'lineNumber' | 'leftOut'> {
  readonly row: Row | RecordingHeader
}

/** The first value of the journal that differs from the output of the replay. */
interface Difference {
  readonly entry: Entry
  readonly output: Output
  /** The last lines of the recording before it. */
  readonly lines: readonly PlayedLine[]
}

interface Comparison {
  readonly equal: number
  /** Values of the replay after the last one of the journal. */
  readonly later: number
  readonly difference: Difference | undefined
}

/** Number of lines of the recording that are shown before a difference. */
const shownLines = 3

interface Replayed extends BacktestFiles {
  readonly url: string
  readonly parameter: unknown
  /** Override those of the options of the module. */
  readonly costs: Costs
  readonly range: PlayedRange
}

/** Replays a run, which continues the account of the run before it. Undefined if the reader has closed the output. */
const compareRun = async (
  io: Io,
  { before, entries }: JournalRun,
  { recordings, url, parameter, costs, range }: Replayed,
): Promise<Comparison | undefined> => {
  const loaded = await loadStrategy(url, costs)
  if (isLeft(loaded)) throw failureOf(sweepError(parameter, loaded.left))
  const state = before === undefined ? undefined : orFail(decodeJournalLine(before))
  const saved = state?._tag === 'State' ? state : undefined
  const terms = { endsFlat: false, saved, liveDecision: liveDecisions(entries) }
  const lines: PlayedLine[] = []
  let [lastAt, equal, later] = [-Infinity, 0, 0]
  let difference: Difference | undefined
  const certain$ = new BehaviorSubject(false)
  await using client = replaySources(
    openableSources(nodePlatform, recordings),
    replaySettings({ speed: Infinity, ...range }),
    nodePlatform.publish,
    (row, { source, lineNumber, leftOut }) => {
      // The header of the recording of the next run is played too.
      if (row.at >= (range.to ?? Infinity)) return
      if (difference !== undefined) certain$.next(true)
      lastAt = Math.max(lastAt, row.at)
      if (lines.push({ source, lineNumber, leftOut, row }) > shownLines) lines.shift()
    },
  )
  const compare = (output: Output): void => {
    const entry = entries[equal]
    if (difference !== undefined) return
    if (entry === undefined) later += output._tag === 'Value' ? 1 : 0
    else if (output._tag === 'Value' && jsonOf(output.value, entry) === entry.json) equal++
    else {
      difference = { entry, output, lines: [...lines] }
      certain$.next(output._tag === 'Failed')
    }
  }
  const output$ = client
    .run$((own) => loaded.right.strategy$(withTerms(own, terms), parameter))
    .pipe(
      map((value): Output => ({ _tag: 'Value', value })),
      endWith<Output>({ _tag: 'Completed' }),
      catchError((thrown: unknown) =>
        of<Output>({ _tag: 'Failed', message: strategyText(strategyFault(thrown).cause) }),
      ),
      tap(compare),
    )
  // At the end of the recordings, a strategy may complete, and emit, where the live run went on. At an earlier time it may not.
  const played$ = merge(
    output$,
    client.run$(({ errors$ }) => errors$),
  ).pipe(takeUntil(certain$.pipe(filter(identity))))
  if (!(await completes(io, played$, () => ': the comparison has not ended'))) return undefined
  const isFound = certain$.value || (difference !== undefined && difference.entry.at <= lastAt)
  if (!isFound) orFail(await client.finished)
  return { equal, later, difference: isFound ? difference : undefined }
}

/** A timer that fires later than this in a live run makes a difference, in ms. */
const maxTimerDelay = 500

/** The times at which the live run decided its orders: its timers fire some ms late, and those of a replay do not. */
const liveDecisions = (entries: readonly Entry[]): ((id: string, at: number) => number) => {
  const times = new Map<unknown, number[]>()
  for (const { id, decidedAt } of entries) {
    if (typeof decidedAt !== 'number') continue
    const known = times.get(id)
    if (known === undefined) times.set(id, [decidedAt])
    else if (known.at(-1) !== decidedAt) known.push(decidedAt)
  }
  return (id, at) => times.get(id)?.find((live) => live >= at && live <= at + maxTimerDelay) ?? at
}

/** The JSON of a value as the journal has it: that of an account has the events themselves. */
const jsonOf = (value: unknown, { isEvent }: Entry): string =>
  isEvent ? JSON.stringify(value, bigintAsText) : journalJson(value)

const differenceText = async (
  journal: string,
  number: number,
  { entry: { line, at, json: live }, output, lines: played }: Difference,
  isJson: boolean,
): Promise<string> => {
  const lines = await Promise.all(
    played.map(async ({ source, lineNumber, leftOut, row }) => {
      return { source, line: await lineInFile(lineNumber, leftOut), row }
    }),
  )
  if (isJson)
    return outputJson({
      ...{ _tag: 'Different', number, line, at, live: JSON.parse(live) as unknown, replay: output, lines },
    })
  return [
    `value ${number}, line ${line} of ${printable(journal)}, ${formatTime(at)}`,
    `  live    ${escapeUnsafe(live)}`,
    `  replay  ${replayText(output)}`,
    'the last lines of the recording before it:',
    ...lines.map(
      ({ source, line: inFile, row }) =>
        `  ${printable(source)}, line ${inFile}, ${formatTime(row.at)}: ${jsonText(row)}`,
    ),
  ].join('\n')
}

const replayText = (output: Output): string => {
  if (output._tag === 'Value') return outputJson(output.value)
  return output._tag === 'Failed' ? printable(`the stream fails: ${output.message}`) : 'the stream completes'
}
