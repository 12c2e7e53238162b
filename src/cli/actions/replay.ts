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
import { counted } from '../../view/texts.js'
import { isAddress, type Address } from '../../base/domain/address.js'
import { serviceOf, type Topic } from '../../base/domain/topic.js'
import { replaySettings } from '../../backtest/recording/replay/replay-options.js'
import type { RecordingHeader, Row } from '../../backtest/recording/format/row.js'
import type { ReplayClient, ReplaySummary } from '../../backtest/recording/index.js'
import { nodePlatform } from '../../backtest/recording/on-node.js'
import { openableSource, type OpenableSource } from '../../backtest/recording/read/source.js'
import { replaySources } from '../../backtest/recording/replay/replay.js'
import {
  depthRow$,
  priceRow$,
  statusRow$,
  uncorrelatedRow$,
} from '../../backtest/recording/record/client-rows.js'
import { recordedMarket } from '../../simulator/index.js'
import { showBoard$ } from '../render/show.js'
import { noRowText, rangeOf, type RangeFlags } from '../target/range.js'
import { pacedBy, type Io } from '../io.js'
import { orFail } from '../render/error-text.js'
import { printRows$ } from '../render/rows.js'
import { canRedraw } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import { namedTokens, recordedAddresses, userTokens, type UserTokens } from '../target/select-tokens.js'
import { createTokenNames, type TokenNames } from '../target/token-names.js'

interface ReplayFlags extends RangeFlags {
  readonly speed: number
  readonly json?: boolean
  readonly tokens?: string
}

/** Shows a recording until its end, or until the user stops the command. */
export const showRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  flags: ReplayFlags,
): Promise<void> => {
  const { speed, json = false } = flags
  const range = rangeOf(command, flags)
  const user = userTokens(command, io.env)
  /** The time of the current line, as written in the recording. */
  let recordedAt = 0
  const sources = files.map((file) => sourceOf(io, file))
  const names$ = new Subject<Topic | Address>()
  const settings = replaySettings({ speed, ...range })
  await using client = replaySources(sources, settings, nodePlatform.publish, (line) => {
    recordedAt = line.at
    for (const name of namesIn(line)) names$.next(name)
  })
  const header = orFail(await client.header())
  const shown$ = show$(io, client, header, names$, namesOf(header, user), {
    speed,
    json,
    recordedAt: () => recordedAt,
  })
  const end = await firstValueFrom(merge(shown$.pipe(endWith(undefined)), stop$(io, undefined)))
  if (end !== undefined) return
  const result = orFail(await client.finished)
  for (const warning of timeWarnings(result)) io.stderr.write(`warning: ${warning}\n`)
  if (result.rows === 0) throw new Error(noRowText(header.at, range))
}

/** A file, or standard input. It is read no faster than the output accepts the events. */
const sourceOf = (io: Io, file: string): OpenableSource => {
  const { open, ...source } =
    file === '-'
      ? openableSource(nodePlatform, io.stdin, 'standard input')
      : openableSource(nodePlatform, file)
  return { ...source, open: (closing) => pacedBy(io.stdout, open(closing)) }
}

/** Warnings of rows with doubtful times. */
export const timeWarnings = ({
  earlierRows,
  skewedRows,
  overlappingRows,
}: Omit<ReplaySummary, 'rows'>): readonly string[] => [
  ...(earlierRows === 0
    ? []
    : [`${rowsThat(earlierRows, 'earlier than the row before')}: was a clock set back?`]),
  ...(overlappingRows === 0
    ? []
    : [`${rowsThat(overlappingRows, 'left out')}: another recording has the topic or mint at that time`]),
  ...(skewedRows === 0 ? [] : [rowsThat(skewedRows, 'received more than a minute before or after "at"')]),
]

const rowsThat = (count: number, what: string): string =>
  `${counted(count, 'row')} ${count === 1 ? 'was' : 'were'} ${what}`

interface ShowOptions {
  readonly speed: number
  readonly json: boolean
  /** The recorded time of the current event, in ms since the Unix epoch. */
  readonly recordedAt: () => number
}

const show$ = (
  io: Io,
  client: ReplayClient,
  header: RecordingHeader,
  names$: Observable<Topic | Address>,
  names: TokenNames,
  { speed, json, recordedAt }: ShowOptions,
): Observable<never> => {
  const rows$ = client.run$((inner) => allRows$(inner, header, names$))
  const { stdout: output, env: variables } = io
  // At unlimited speed, a redrawn board would show only the last event.
  if (speed !== Infinity && !json && canRedraw(output, variables)) {
    return showBoard$(rows$, {
      tokens: recordedAddresses(header).map(names.display),
      hasDepth: header.mints.length > 0,
      header: undefined,
      note: undefined,
      output,
      variables,
      loggedAt: recordedAt,
    })
  }
  return printRows$(rows$.pipe(map((row) => ({ ...row, at: recordedAt() }))), {
    output,
    variables,
    names,
    json,
  })
}

/** The names of tokens. The service of the topics is that of the recording. */
const namesOf = ({ topics: [topic] }: RecordingHeader, user: UserTokens): TokenNames =>
  createTokenNames(
    namedTokens({ ownTokens: [], knownTokens: recordedMarket().tokens, ...user }),
    topic === undefined ? undefined : serviceOf(topic),
  )

/** The topics and mints that a line names. */
const namesIn = (line: Row | RecordingHeader): readonly (Topic | Address)[] => {
  if (line._tag === 'Recording') return [...line.topics, ...line.mints]
  if (line._tag === 'Price') return [line.topic]
  return line._tag === 'Depth' ? [line.mint] : []
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
