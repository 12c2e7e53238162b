import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { map, merge, type Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import { formatTime } from '../../display/texts.js'
import { serviceOf } from '../../domain/topic.js'
import { printable } from '../../errors/text.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import type { ReplayClient, ReplaySummary } from '../../recording/index.js'
import { nodePlatform } from '../../recording/on-node.js'
import { openableSource, type OpenableSource } from '../../recording/read/source.js'
import { replaySources } from '../../recording/replay/replay.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from '../../recording/record/client-rows.js'
import { recordedMarket } from '../../simulator/index.js'
import { showBoard$ } from '../board/show.js'
import { rangeProblem } from '../input/parse-flags.js'
import { pacedBy, type Io } from '../io.js'
import { errorLine } from '../output/error-text.js'
import { printRows$ } from '../output/rows.js'
import { canRedraw } from '../output/terminal.js'
import { usageError } from '../run.js'
import { completes } from '../stop.js'
import { namedTokens, recordedAddresses, userTokens, type UserTokens } from '../tokens/select-tokens.js'
import { createTokenNames, type TokenNames } from '../tokens/token-names.js'

export interface ReplayFlags {
  readonly speed: number
  /** In ms since the Unix epoch. */
  readonly from?: number
  readonly to?: number
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
  const { speed, json = false, from, to } = flags
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const problem = rangeProblem(range)
  if (problem !== undefined) return usageError(command, problem)
  const user = userTokens(command, io.env)
  /** The time of the current line, as written in the recording. */
  let recordedAt = 0
  const order = new FileOrder()
  const sources = files.map((file) => order.observed(sourceOf(io, file)))
  await using client = replaySources(sources, { speed, ...range }, nodePlatform.publish, (line) => {
    recordedAt = line.at
    order.onLine(line)
  })
  const header = await client.header()
  if (isLeft(header)) throw new Error(errorLine(header.left))
  const shown$ = show$(io, client, header.right, namesOf(header.right, user), {
    speed,
    json,
    recordedAt: () => recordedAt,
  })
  const completed = await completes(io, shown$)
  // Not earlier: it would appear within the board.
  if (order.warning !== undefined) io.stderr.write(`warning: ${order.warning}\n`)
  if (!completed) return
  const result = await client.finished
  if (isLeft(result)) throw new Error(errorLine(result.left))
  for (const warning of timeWarnings(result.right)) io.stderr.write(`warning: ${warning}\n`)
  if (result.right.rows === 0 && (from ?? to) !== undefined) throw new Error(noRowText(header.right))
}

/** A file, or standard input. It is read no faster than the output accepts the events. */
const sourceOf = (io: Io, file: string): OpenableSource => {
  const { name, open } =
    file === '-'
      ? openableSource(nodePlatform, io.stdin, 'standard input')
      : openableSource(nodePlatform, file)
  return { name, open: (closing) => pacedBy(io.stdout, open(closing)) }
}

const noRowText = ({ at }: RecordingHeader): string =>
  `no event between --from and --to; the recording starts at ${formatTime(at)}`

/** Warnings of rows with doubtful times. */
export const timeWarnings = ({
  earlierRows,
  skewedRows,
}: Pick<ReplaySummary, 'earlierRows' | 'skewedRows'>): readonly string[] => [
  ...(earlierRows === 0
    ? []
    : [`${counted(earlierRows, 'earlier than the row before')}: was a clock set back?`]),
  ...(skewedRows === 0 ? [] : [counted(skewedRows, 'received more than a minute before or after "at"')]),
]

const counted = (count: number, what: string): string =>
  count === 1 ? `1 row was ${what}` : `${count} rows were ${what}`

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
  names: TokenNames,
  { speed, json, recordedAt }: ShowOptions,
): Observable<never> => {
  const rows$ = client.run$((inner) => allRows$(inner, header))
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

const allRows$ = (client: Client, { topics, mints, interval }: RecordingHeader): Observable<Row> =>
  merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    ...topics.map((topic) => priceRow$(client, topic)),
    ...mints.map((mint) => depthRow$(client, mint, interval)),
  )

/** Finds out whether files are replayed in the order of their times. */
class FileOrder {
  /** Of the first file that starts earlier than its predecessor ended. */
  warning: string | undefined
  private source: OpenableSource | undefined
  private last: { readonly at: number; readonly source: OpenableSource | undefined } | undefined

  /** Reports each opening of the source to this object. */
  observed(source: OpenableSource): OpenableSource {
    return {
      name: source.name,
      open: (closing) => {
        this.source = source
        return source.open(closing)
      },
    }
  }

  /** The time of a header may be unknown: only rows count. */
  onLine({ _tag, at }: Row | RecordingHeader): void {
    if (_tag === 'Recording') return
    const { last, source } = this
    this.last = { at, source }
    if (last === undefined || last.source === source || at >= last.at) return
    this.warning ??= `\
${nameOf(source)} starts at ${formatTime(at)}, before ${nameOf(last.source)} ends at ${formatTime(last.at)}; \
give the files in the order of their times`
  }
}

const nameOf = (source: OpenableSource | undefined): string => printable(source?.name ?? '')
