import type { Command } from 'commander'
import {
  distinct,
  endWith,
  firstValueFrom,
  from,
  ignoreElements,
  map,
  merge,
  mergeMap,
  Subject,
  takeUntil,
  type Observable,
} from 'rxjs'
import type { Client } from '../../client/client.js'
import { timeWarnings } from '../render/time-warnings.js'
import { isAddress, type Address, serviceOf, type Topic } from '../../base/domain/topic.js'
import { replaySettings } from '../../backtest/replay/replay-options.js'
import type { RecordingHeader, Row } from '../../backtest/recording/codec/row.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { OpenableSource } from '../../backtest/recording/read/openable-source.js'
import { openableSource } from '../../backtest/recording/read/source.js'
import { replaySources } from '../../backtest/replay/replay.js'
import {
  depthRow$,
  priceRow$,
  statusRow$,
  uncorrelatedRow$,
} from '../../backtest/recording/write/client-rows.js'
import { showBoard$ } from '../render/show.js'
import { noRowText, rangeFlags, rangeOf } from '../target/range.js'
import { pacedBy, type Io } from '../io.js'
import { orFail } from '../render/error-text.js'
import { nameOf, printRows$ } from '../render/rows.js'
import { canRedraw } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import { namesFor, recordedTokens, userTokens } from '../target/select-tokens.js'
import { defineCommand, eventsAsJson, many, priceHelp, tokensFlag } from './shared/parts.js'
import { numberOption } from '../../base/option-kinds/number-option.js'
import { Flag, parseNumber, type Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams replay market.ndjson --speed 10
      Replay it ten times as fast.
  $ npx svc-streams replay market.ndjson --speed max --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print the recorded JSON objects, one per line, for programs.
  $ npx svc-streams replay market.*.ndjson.gz --from 2026-11-22T10:30:00Z --to 2026-11-22T11:30:00Z
      Replay a part of several files as one recording. Files may be compressed by gzip.
  $ ssh recorder cat market.ndjson | npx svc-streams replay -
      Read from a pipe.

The files may be in any order. A part starts without the values from before it.

${priceHelp}

If the recording is damaged, the command shows all events before the damage, and fails with exit code 1.`

const parseSpeed = parseNumber(numberOption({ above: 0, default: 1 }))

const speedFlag = new Flag<number>(
  '--speed <factor>',
  'playback speed as a factor, or max to show all events immediately',
)
  .argParser((text) => (text === 'max' ? Infinity : parseSpeed(text)))
  .default(1)

const flags = { speed: speedFlag, ...rangeFlags, json: eventsAsJson, tokens: tokensFlag }

export const createCommand = defineCommand({
  examples,
  arguments: many('<file...>', 'recordings, plain or gzip; - reads standard input'),
  flags,
  action: showRecordings,
})

async function showRecordings(
  io: Io,
  command: Command,
  { speed, json = false, ...given }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  const range = rangeOf(given)
  const user = userTokens(command, io.env)
  /** The time of the current line, as written in the recording. */
  let recordedAt = 0
  const sources = files.map((file) => sourceOf(io, file))
  const names$ = new Subject<Topic | Address>()
  const settings = replaySettings({ speed, ...range })
  await using client = replaySources(sources, settings, nodePlatform.publish, (line) => {
    recordedAt = line.at
    const named = line._tag === 'Recording' ? [...line.topics, ...line.mints] : [nameOf(line)]
    for (const name of named) if (name !== undefined) names$.next(name)
  })
  const header = orFail(await client.header())
  const [topic] = header.topics
  const names = namesFor({ ownTokens: [], ...user }, topic && serviceOf(topic))
  const rows$ = client.run$((inner) => allRows$(inner, header, names$))
  // At unlimited speed, a redrawn board would show only the last event.
  const isBoard = speed !== Infinity && !json && canRedraw(io.stdout, io.env)
  const shown$ = isBoard
    ? showBoard$(io, rows$, {
        tokens: recordedTokens(header).map(({ address }) => names.display(address)),
        hasDepth: header.mints.length > 0,
        loggedAt: () => recordedAt,
      })
    : printRows$(io, rows$.pipe(map((row) => ({ ...row, at: recordedAt }))), names, json)
  const end = await firstValueFrom(merge(shown$.pipe(endWith(undefined)), stop$(io, undefined)))
  if (end !== undefined) return
  const result = orFail(await client.finished)
  for (const warning of timeWarnings(result)) io.stderr.write(`warning: ${warning}\n`)
  if (result.rows === 0) throw new Error(noRowText(header.at, range))
}

/** A file, or standard input. It is read no faster than the output accepts the events. */
const sourceOf = (io: Io, file: string): OpenableSource => {
  const source =
    file === '-'
      ? openableSource(nodePlatform, io.stdin, 'standard input')
      : openableSource(nodePlatform, file)
  return new OpenableSource(source.name, (closing) => pacedBy(io.stdout, source.open(closing)), source.file)
}

/** The rows of all streams. `names$`: the topics and mints of each line, before its events. */
const allRows$ = (
  client: Client,
  { topics, mints, interval }: RecordingHeader,
  names$: Observable<Topic | Address>,
): Observable<Row> => {
  const rowsOf$ = (name: Topic | Address): Observable<Row> =>
    isAddress(name) ? depthRow$(client, name, interval) : priceRow$(client, name)
  const isOver$ = client.status$.pipe(ignoreElements(), endWith(true))
  return merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    merge(from([...topics, ...mints]), names$.pipe(takeUntil(isOver$))).pipe(
      distinct((name) => name.toLowerCase()),
      mergeMap(rowsOf$),
    ),
  )
}
