import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { catchError, endWith, map, of, reduce, takeWhile, tap } from 'rxjs'
import { bigintAsText } from '../../base/domain/plain-decimal.js'
import { printable } from '../../base/errors/text.js'
import { plainObject } from '../../base/option-kinds/option.js'
import type { JournalPosition } from '../../backtest/account/journal/journal-events.js'
import { changes, journalTags, startTag } from '../../backtest/account/journal/journal.js'
import { wholeLines, wholeLinesAtOnce } from '../../backtest/recording/files/line-file.js'
import type { RecordingHeader, Row } from '../../backtest/recording/codec/row.js'
import { journalJson } from '../../backtest/recording/write/journal.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { replaySources } from '../../backtest/replay/replay.js'
import { definedRange, replaySettings } from '../../backtest/replay/replay-options.js'
import { strategyFault, strategyText, sweepError } from '../../backtest/sweep/sweep-error.js'
import { loadStrategy } from '../../backtest/sweep/worker/load-strategy.js'
import { counted, formatTime } from '../../view/texts.js'
import { rangeFlags, rangeOf, type PlayedRange } from '../target/range.js'
import { attempt } from '../target/read-file.js'
import type { Io } from '../io.js'
import { failureOf, orFail } from '../render/error-text.js'
import { outputJson } from '../render/json.js'
import { numberFormat } from '../render/terminal.js'
import { unlessStopped } from '../stop.js'
import { backtestFiles, checkedStrategy, jsonText, strategyParameter } from './shared/replayed-strategy.js'
import { defineCommand, many, parameterFlag } from './shared/parts.js'
import { requiredFlag, toggle, type Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams verify market.ndjson strategy.js --journal live.ndjson
      Check that a live run of the strategy gave the values that a replay of its recording gives.
  $ npx svc-streams verify market.*.ndjson.gz strategy.js --journal live.ndjson --from 2026-11-27T09:00:00Z
      Play the recording from the time at which the strategy was started.
  $ npx svc-streams verify monday.ndjson tuesday.ndjson strategy.js --journal desk.ndjson
      Compare the events of an account over two runs of paper, each with its recording.

The live run writes the journal, and the recording is that of its client:

  record(client, { topics, to: 'market.ndjson' })
  strategy(client).pipe(journal('live.ndjson')).subscribe()

The journal of paper has the events of an account, for the module of paper: each run of the account is compared with its part of
the recordings. The values are compared in order, as JSON. Values of the replay after the last line of the journal do not count, nor
do a last line without an end, and values of the live run after the last row of the recording, which are counted.

The order of two events of different streams in the same millisecond may differ: derive the values of a journal from one stream
at a time.

Exit codes: 0 if all values of the journal are equal; 1 at the first difference, or if there is none to compare.`

const flags = {
  journal: requiredFlag(
    '--journal <file>',
    'the values of the live run, as the operator journal or the command paper writes them',
  ),
  parameter: parameterFlag,
  ...rangeFlags,
  json: toggle('--json', 'print the result as one JSON object'),
}

export const createCommand = defineCommand({
  examples,
  arguments: many('<file...>', 'recordings, plain or gzip, and last the module of the strategy'),
  flags,
  action: verifyJournal,
})

/** Compares the values of a strategy over a recording with those of a journal. Throws at the first difference. */
async function verifyJournal(
  io: Io,
  command: Command,
  { journal, parameter: text, json = false, ...given }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  const backtest = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  const range = rangeOf(command, given)
  using strategy = await checkedStrategy(backtest, range)
  let equal = 0
  let afterEnd = 0
  let later = 0
  for (const [index, run] of (await journalRuns(journal)).entries()) {
    if (run.count === 0) continue
    // A module is evaluated anew for each fragment of its URL.
    const module = { recordings: backtest.recordings, url: `${strategy.url.href}#${index}`, parameter }
    const compared = await compareRun(io, journal, module, run, range)
    if (compared === undefined) return
    equal += compared.equal
    afterEnd += compared.afterEnd
    later = compared.later
    const { difference, lines } = compared
    if (difference === undefined) continue
    const number = equal + 1
    const { entry, output } = difference
    io.stdout.write(
      json
        ? `${outputJson({ _tag: 'Different', number, line: entry.line, at: entry.at, live: entry.value, replay: output, lines })}\n`
        : `${differenceText(journal, number, difference, lines)}\n`,
    )
    throw new Error(`the replay differs from the live run at value ${number}`)
  }
  if (equal === 0) throw new Error(`${printable(journal)}: the journal has no value to compare`)
  const grouped = numberFormat(io.stdout)
  const rest = [
    ...(afterEnd === 0
      ? []
      : [`${grouped(String(afterEnd))} came after the end of the recordings and were not compared`]),
    ...(later === 0 ? [] : [`the replay has ${grouped(String(later))} more after the end of the journal`]),
  ]
  io.stdout.write(
    json
      ? `${outputJson({ _tag: 'Equal', values: equal, afterEnd, later })}\n`
      : `${[`equal: ${counted(equal, 'value', grouped)}`, ...rest].join('; ')}\n`,
  )
}

/** A value of a journal, or an event of an account. */
interface Entry {
  /** Number of the line, from 1. */
  readonly line: number
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly value: unknown
}

/** A run that wrote to a journal. The values of a journal count as one run. */
interface JournalRun {
  /** When it began, and when the next one began, in ms since the Unix epoch. A first run may have begun earlier. */
  readonly from: number
  to: number
  /** The last state of the account before it, and its last value. Empty for a new account. */
  readonly before: readonly string[]
  /** Of its first line. */
  readonly start: JournalPosition
  /** The number of its values. */
  count: number
  /** Entries of this line and later ones depend on when the run ended, or were not emitted. */
  endLine: number
}

const journalRuns = async (path: string): Promise<readonly JournalRun[]> => {
  let line = 0
  let bytes = 0
  const newRun = (from: number, before: readonly string[]): JournalRun => ({
    ...{ from, before, to: Infinity, count: 0, endLine: Infinity },
    start: { bytes, lines: Math.max(0, line - 1) },
  })
  let run = newRun(-Infinity, [])
  const runs = [run]
  let state: string[] = []
  let previous: unknown
  for await (const text of wholeLines(path)) {
    const value = parsed(text, ++line, path)
    const { _tag, at } = value
    if (_tag === startTag && line > 1) {
      run.to = at
      run = newRun(at, state)
      runs.push(run)
    }
    if (_tag === 'Account') run.endLine = previous === 'Equity' ? line - 1 : line
    if (changes.has(_tag)) run.endLine = Math.min(run.endLine, line)
    // Later than the state, with later prices.
    if (_tag === 'Equity') state = [...state.slice(0, 1), text]
    if (_tag === 'State') {
      run.endLine = Infinity
      state = [text]
    } else if (_tag !== startTag) run.count++
    previous = _tag
    bytes += Buffer.byteLength(text) + 1
  }
  return runs
}

/** The values of a run. They are read again, because a journal may be larger than the memory. */
function* entriesOf(path: string, { start }: JournalRun): Generator<Entry, undefined> {
  let line = start.lines
  for (const text of wholeLinesAtOnce(path, start.bytes)) {
    const value = parsed(text, ++line, path)
    const { _tag, at } = value
    if (_tag === startTag && line > start.lines + 1) return undefined
    if (_tag !== startTag && _tag !== 'State')
      yield { line, at, value: _tag === undefined ? value.value : value }
  }
  return undefined
}

interface JournalValue {
  readonly _tag?: unknown
  readonly at: number
  readonly value?: unknown
}

const parsed = (text: string, line: number, path: string): JournalValue => {
  const value = attempt(() => JSON.parse(text) as Partial<JournalValue> | null)
  if (
    !isLeft(value) &&
    typeof value.right?.at === 'number' &&
    ('value' in value.right || journalTags.has(value.right._tag))
  )
    return value.right as JournalValue
  throw new Error(`${printable(path)}, line ${line}: expected a line like {"at":1795601234567,"value":…}`)
}

/** An event of the replayed strategy. */
type Output =
  | { readonly _tag: 'Value'; readonly value: unknown }
  | { readonly _tag: 'Completed' }
  | { readonly _tag: 'Failed'; readonly message: string }

/** The comparison of one run. */
interface Comparison {
  equal: number
  /** Values of the journal that came after the last row of the recordings. */
  afterEnd: number
  /** Values of the replay after the last one of the journal. */
  later: number
  /** The first value of the journal that differs from the output of the replay. */
  difference?: { readonly entry: Entry; readonly before: Entry | undefined; readonly output: Output }
  /** The last lines of the recording so far, with the number of each in its source, from 1. */
  readonly lines: { readonly source: string; readonly line: number; readonly row: Row | RecordingHeader }[]
}

/** Number of lines of the recording that are shown before a difference. */
const shownLines = 3

/**
 * Replays a run, which continues the account of the run before it. `url`: of the module. Undefined if the reader has closed the
 * output.
 */
const compareRun = async (
  io: Io,
  path: string,
  { recordings, url, parameter }: { recordings: readonly string[]; url: string; parameter: unknown },
  run: JournalRun,
  given: PlayedRange,
): Promise<Comparison | undefined> => {
  const { from, to, before, endLine } = run
  const entries = entriesOf(path, run)
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  try {
    const journal = join(folder, 'account.ndjson')
    if (before.length > 0) writeFileSync(journal, before.map((line) => `${line}\n`).join(''))
    const loaded = await loadStrategy(url, before.length === 0 ? {} : { journal })
    if (isLeft(loaded)) throw failureOf(sweepError(parameter, loaded.left))
    const first = Math.max(from, given.from ?? -Infinity)
    const end = Math.min(to, given.to ?? Infinity)
    const range = definedRange(first === -Infinity ? undefined : first, end === Infinity ? undefined : end)
    const compared: Comparison = { equal: 0, afterEnd: 0, later: 0, lines: [] }
    let lastAt = -Infinity
    await using client = replaySources(
      openableSources(nodePlatform, recordings),
      replaySettings({ speed: Infinity, ...range }),
      nodePlatform.publish,
      (row, { source, lineNumber: line }) => {
        lastAt = Math.max(lastAt, row.at)
        if (compared.lines.push({ source, line, row }) > shownLines) compared.lines.shift()
      },
    )
    let entry = entries.next().value
    let last: Entry | undefined
    const compare = (output: Output): void => {
      if (entry === undefined) compared.later += output._tag === 'Value' ? 1 : 0
      else if (output._tag === 'Value' && textOf(output.value, entry) === JSON.stringify(entry.value)) {
        compared.equal++
        last = entry
        entry = entries.next().value
      } else if (output._tag === 'Completed' && entry.at > lastAt)
        for (; entry !== undefined && entry.line < endLine; entry = entries.next().value) compared.afterEnd++
      else if (entry.line < endLine) compared.difference = { entry, before: last, output }
    }
    const compared$ = client
      .run$((own) => loaded.right(own, parameter))
      .pipe(
        map((value): Output => ({ _tag: 'Value', value })),
        endWith<Output>({ _tag: 'Completed' }),
        catchError((thrown: unknown) =>
          of<Output>({ _tag: 'Failed', message: strategyText(strategyFault(thrown).cause) }),
        ),
        tap(compare),
        takeWhile(() => compared.difference === undefined),
        reduce(() => compared, compared),
      )
    const result = await unlessStopped(io, compared$, () => ': the comparison has not ended')
    if (result !== undefined && result.difference === undefined) orFail(await client.finished)
    return result
  } finally {
    entries.return(undefined)
    rmSync(folder, { recursive: true })
  }
}

/** The JSON of a value as the journal has it: that of an account has the events themselves. */
const textOf = (value: unknown, { value: live }: Entry): string =>
  typeof live === 'object' && live !== null && '_tag' in live && journalTags.has(live._tag)
    ? JSON.stringify(value, bigintAsText)
    : journalJson(value)

/** `number`: of the value that differs, from 1. */
const differenceText = (
  journal: string,
  number: number,
  { entry: { line, at, value }, before, output }: NonNullable<Comparison['difference']>,
  lines: Comparison['lines'],
): string =>
  [
    `value ${number}, line ${line} of ${printable(journal)}, ${formatTime(at)}`,
    `  live    ${jsonText(value)}`,
    `  replay  ${replayText(output)}`,
    ...fieldDifferences(value, output).map((text) => `  ${text}`),
    ...(before === undefined ? [] : [`the value before it, which is equal: ${jsonText(before.value)}`]),
    'the last lines of the recording before it:',
    ...lines.map(
      ({ source, line: played, row }) =>
        `  ${printable(source)}, line ${played}, ${formatTime(row.at)}: ${jsonText(row)}`,
    ),
  ].join('\n')

/** The fields of an object that differ: a line shows only the beginning of a value. */
const fieldDifferences = (live: unknown, output: Output): readonly string[] => {
  const replayed = output._tag === 'Value' ? output.value : undefined
  if (!plainObject.holds(live) || !plainObject.holds(replayed)) return []
  const fields = new Map<string, unknown>(Object.entries(replayed as object))
  return Object.entries(live as object)
    .map(([name, value]) => [name, jsonText(value), jsonText(fields.get(name))] as const)
    .filter(([, one, two]) => one !== two)
    .map(([name, one, two]) => `${name} is ${one} in the live run, ${two} in the replay`)
}

const replayText = (output: Output): string => {
  if (output._tag === 'Value') return jsonText(output.value)
  return output._tag === 'Failed' ? printable(`the stream fails: ${output.message}`) : 'the stream completes'
}
