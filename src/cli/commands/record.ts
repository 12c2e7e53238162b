import type { Command } from 'commander'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { defer, distinct, filter, firstValueFrom, from, map, merge, Subject, type Observable } from 'rxjs'
import { counted, formatAge, formatDuration } from '../../view/texts.js'
import type { Address } from '../../base/domain/address.js'
import type { DepthRow, PriceRow, Row } from '../../backtest/recording/codec/row.js'
import { record, type LineWriter, type Recorder, type RecordResult } from '../../backtest/recording/index.js'
import { createRecordingFile, gzipExtension } from '../../backtest/recording/write/recording-file.js'
import { createRotatingFile } from '../../backtest/recording/write/rotating-file.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { systemText } from '../../base/errors/text.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { withTokens, type OpenSource } from '../target/open-source.js'
import { checkOutput } from '../target/read-file.js'
import { isClosedOutput, type Io } from '../io.js'
import { connectionLines$, type LogLine, type Meanwhile } from '../render/connection-lines.js'
import { errorLine, errorText } from '../render/error-text.js'
import { numberFormat, showProgressLine } from '../render/terminal.js'
import { usageError } from '../target/parse-flags.js'
import { stop$, type StopReason } from '../stop.js'
import { log, logFormatFlag, logResult, logText, setLogFormat } from './shared/log.js'
import { failureText, nothingReceived, receive, watchRows$, type StreamRun } from './shared/stream.js'
import { defineCommand, many, tokensHelp } from './shared/parts.js'
import { parsedFlag, parseRotation, textFlag, toggle, type Values } from '../target/parse-flags.js'
import { streamFlags } from './shared/stream.js'

const examples = `
Examples:
  $ npx svc-streams record --simulate --duration 1m --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ npx svc-streams record WETH --tokens tokens.json --out market.ndjson.gz
      Record a token of the service that the environment variables configure, compressed, until Ctrl-C.
  $ npx svc-streams record --simulate --gzip --rotate 1h --out market.ndjson
      Start a new file at each full hour of UTC: market.2026-11-22T10-00-00Z.ndjson.gz, … Replay them with:
      npx svc-streams replay market.*.ndjson.gz

Every event is written immediately, errors as well as values. With --out, no written line is lost when the process is
killed; a compressed file is written in blocks, and lacks at most the last 2 seconds. An existing file is never overwritten. Each file starts with
a header, so it can be replayed alone. Recordings of the same tokens can be concatenated with cat.

The exit code is 1 if the service has rejected every token, or the signature of every depth request, or if --duration
ends before a price has arrived.`

const flags = {
  out: textFlag(
    '-o, --out <file>',
    'new file to write, compressed if it ends in .gz (default: standard output)',
  ),
  gzip: toggle('--gzip', 'compress the file, also if its name does not end in .gz'),
  rotate: parsedFlag(
    '--rotate <duration>',
    'start a new file at each multiple of 30s, 15m, 1h, 1d, …; its name contains its start',
    parseRotation,
  ),
  logFormat: logFormatFlag,
  ...streamFlags,
}

type RecordFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  arguments: many(
    '[token...]',
    `${tokensHelp} (default: those of SVC_TOKENS, or all of --tokens; with --simulate, ETH and BTC)`,
  ),
  flags,
  action: recordStreams,
})

function recordStreams(
  io: Io,
  command: Command,
  flags: RecordFlags,
  given: readonly string[],
): Promise<void> {
  setLogFormat(io, flags.logFormat)
  return withTokens(io, command, flags.depth ? 'both' : 'prices', given, async ({ source, tokens }) => {
    // Called before the first row is written: Ctrl-C must not end the process in the middle of a row.
    const stopped$ = stop$(io, flags.duration)
    const startAt = rxClock.wallClock()
    const output = openOutput(io, flags, startAt)
    const addresses = tokens.map(({ address }) => address)
    const recorder = startRecording(source, addresses, output.to, flags)
    let received = nothingReceived
    let lastPriceAt: number | undefined
    const row$ = new Subject<Row>()
    const progress =
      flags.out === undefined
        ? undefined
        : showProgressLine(io, () =>
            [
              counted(recorder.rows, 'row', numberFormat(io.stderr)),
              formatDuration(rxClock.wallClock() - startAt),
              lastPriceAt === undefined
                ? 'no price yet'
                : `last price ${formatAge(rxClock.wallClock() - lastPriceAt)} ago`,
            ].join('  '),
          )
    const line$ = merge(
      connectionLines$(source.client.status$, meanwhile),
      depthLines$(row$),
      rejectionLines$(row$),
    )
    const printing = line$.subscribe((line) =>
      progress === undefined ? log(io, line.message, line.level) : progress.print(logText(io, line)),
    )
    row$.subscribe((row) => {
      received = receive(received, row)
      if (row._tag === 'Price' && isRight(row.event)) lastPriceAt = row.at
    })
    // The second subscriber of each stream causes no additional frames and requests.
    const receiving = watchRows$(source, addresses, flags.interval).subscribe(row$)
    const result = await stopped(recorder, stopped$)
    progress?.hide()
    printing.unsubscribe()
    receiving.unsubscribe()
    output.close()
    const end = endOf(io, result, recorder, output)
    const failure = failureText(received, { command: 'record', source, duration: flags.duration, end })
    if (failure !== undefined) throw new Error(failure)
  })
}

interface RecordOutput {
  readonly to: LineWriter
  readonly close: () => void
  /** A description of the files so far; undefined for standard output. */
  readonly name: () => string | undefined
}

/** Flags that exclude each other, and a file that cannot be created, are usage errors. */
const openOutput = ({ stdout }: Io, { out, gzip, rotate }: RecordFlags, startAt: number): RecordOutput => {
  if (out === undefined) {
    if (rotate !== undefined)
      return usageError('--rotate: add --out, from which the names of the files are derived')
    if (gzip !== undefined) return usageError('--gzip: add --out, or compress standard output with | gzip')
    return { to: stdout, close: () => undefined, name: () => undefined }
  }
  const isGzip = gzip ?? out.endsWith(gzipExtension)
  checkOutput('--out', out, rotate === undefined)
  try {
    if (rotate === undefined) {
      const file = createRecordingFile(out, isGzip)
      return { to: file, close: () => file.close(), name: () => out }
    }
    const files = createRotatingFile(out, { period: rotate, isGzip, startAt, elapsed: rxClock.elapsed })
    return { to: files, close: () => files.close(), name: () => files.name }
  } catch (thrown) {
    return usageError(`--out: ${out} cannot be written: ${systemText(thrown)}`)
  }
}

const startRecording = (
  { client, depthClient, service }: OpenSource,
  addresses: readonly Address[],
  to: LineWriter,
  { interval }: RecordFlags,
): Recorder => {
  const topics = addresses.map((address) => `${service}-${address}` as const)
  return depthClient === undefined
    ? record(client, { to, topics })
    : record(depthClient, { to, topics, mints: addresses, interval })
}

interface Stopped {
  readonly end: StreamRun['end']
  readonly result: RecordResult
}

/** Waits until the command is stopped or all streams have completed, and until all lines are written. */
const stopped = async (recorder: Recorder, stopped$: Observable<StopReason>): Promise<Stopped> => {
  const completed$ = from(recorder.finished).pipe(map(() => 'completed' as const))
  const end = await firstValueFrom(merge(stopped$, completed$))
  return { end, result: await recorder.stop() }
}

/** Prints the number of rows, and throws if a write failed. */
const endOf = (
  io: Io,
  { end, result }: Stopped,
  { rows }: Recorder,
  { name }: RecordOutput,
): StreamRun['end'] => {
  if (isLeft(result)) {
    // A closed pipe, such as that of `head`, is not a failure.
    if (isClosedOutput(result.left.cause)) return 'output closed'
    const advice =
      result.left.cause.code === 'ENOSPC' ? ' Free space on the disk, and record to a new file.' : ''
    throw new Error(`${errorLine(result.left)}\nAll earlier rows were written.${advice}`)
  }
  const files = name()
  if (files !== undefined) logResult(io, `${counted(rows, 'row')} in ${files}`)
  return end
}

const meanwhile: Meanwhile = {
  down: 'The recording has no prices until it returns.',
  behind: 'The recording has no prices until they are current.',
}

/** One line when the service stops answering depth requests, and one line when it answers those of each token again. */
const depthLines$ = (row$: Observable<Row>): Observable<LogLine> =>
  defer(() => {
    const failing = new Set<Address>()
    return row$.pipe(
      filter((row): row is DepthRow => row._tag === 'Depth'),
      map(({ mint, event }): LogLine | undefined => {
        const hadFailures = failing.size > 0
        if (isRight(event)) failing.delete(mint)
        else if (isOfService(event.left)) {
          failing.add(mint)
          if (!hadFailures) return { level: 'warn', message: `Depth requests fail: ${errorText(event.left)}` }
        }
        const isOver = hadFailures && failing.size === 0
        return isOver ? { level: 'info', message: 'Depth requests succeed again.' } : undefined
      }),
      filter((line) => line !== undefined),
    )
  })

/** One line for each token that the service does not know, and for each whose depth it does not have. */
const rejectionLines$ = (row$: Observable<Row>): Observable<LogLine> =>
  row$.pipe(
    filter((row): row is PriceRow | DepthRow => row._tag === 'Price' || row._tag === 'Depth'),
    filter(({ event }) => event._tag === 'Left' && rejections.has(event.left._tag)),
    distinct((row) => (row._tag === 'Price' ? row.topic : row.mint)),
    map(({ event }) => ({ level: 'warn', message: event._tag === 'Left' ? errorText(event.left) : '' })),
  )

const rejections: ReadonlySet<string> = new Set<(PriceError | DepthError)['_tag']>([
  'SubscriptionRejected',
  'UnsupportedPair',
])

/** False for an error of only one token. */
const isOfService = ({ _tag }: DepthError): boolean =>
  _tag !== 'UnsupportedPair' && _tag !== 'DecodeError' && _tag !== 'InvalidMint' && _tag !== 'ClientClosed'
