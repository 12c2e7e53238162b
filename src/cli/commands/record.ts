import type { Writable } from 'node:stream'
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
import { numberFormat, showProgressLine, type NumberFormat } from '../render/terminal.js'
import { usageError } from '../run.js'
import { stop$, type StopReason } from '../stop.js'
import { logFormatFlag, logResult, logText, setLogFormat } from './shared/log.js'
import { failureText, nothingReceived, receive, watchRows$, type StreamRun } from './shared/stream.js'
import { defineCommand, many, tokensHelp } from './shared/parts.js'
import { parsedFlag, parseRotation, textFlag, toggle, type Values } from '../target/parse-flags.js'
import { streamFlags } from './shared/stream.js'

const examples = `
Examples:
  $ npx svc-streams record --simulate --duration 1m --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ npx svc-streams record 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Record a token of the service that the environment variables configure, until Ctrl-C.
  $ npx svc-streams record WETH --tokens tokens.json --out market.ndjson
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ npx svc-streams record --simulate --out market.ndjson.gz
      Compress the recording. Programs such as gunzip and svc-streams replay read it.
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
    const output = openOutput(io, command, flags, startAt)
    const addresses = tokens.map(({ address }) => address)
    const recorder = startRecording(source, addresses, output, flags)
    let received = nothingReceived
    let lastPriceAt: number | undefined
    const row$ = new Subject<Row>()
    const progress = showProgressLine(io, flags.out === undefined, () =>
      progressLine(
        {
          rows: recorder.rows,
          bytes: output.bytes,
          duration: rxClock.wallClock() - startAt,
          priceAge: lastPriceAt === undefined ? undefined : rxClock.wallClock() - lastPriceAt,
        },
        numberFormat(io.stderr),
      ),
    )
    const line$ = merge(
      connectionLines$(source.client.status$, meanwhile),
      depthLines$(row$),
      rejectionLines$(row$),
    )
    const printing = line$.subscribe((line) => progress.print(logText(io, line)))
    row$.subscribe((row) => {
      received = receive(received, row)
      if (row._tag === 'Price' && isRight(row.event)) lastPriceAt = row.at
    })
    // The second subscriber of each stream causes no additional frames and requests.
    const receiving = watchRows$(source, addresses, flags.interval).subscribe(row$)
    const result = await stopped(recorder, stopped$)
    progress.hide()
    printing.unsubscribe()
    receiving.unsubscribe()
    output.close()
    const end = endOf(io, result, recorder, output)
    const failure = failureText(received, { command: 'record', source, duration: flags.duration, end })
    if (failure !== undefined) throw new Error(failure)
  })
}

interface RecordOutput extends LineWriter {
  readonly bytes: number
  readonly close: () => void
  /** A description of the files so far; undefined for standard output. */
  readonly name: string | undefined
}

/** Flags that exclude each other, and a file that cannot be created, are usage errors. */
const openOutput = (
  { stdout }: Io,
  command: Command,
  { out, gzip, rotate }: RecordFlags,
  startAt: number,
): RecordOutput => {
  if (out === undefined) {
    if (rotate !== undefined)
      return usageError(command, '--rotate: add --out, from which the names of the files are derived')
    if (gzip !== undefined)
      return usageError(command, '--gzip: add --out, or compress standard output with | gzip')
    return standardOutput(stdout)
  }
  const isGzip = gzip ?? out.endsWith(gzipExtension)
  checkOutput(command, '--out', out, rotate === undefined)
  try {
    return rotate === undefined
      ? Object.assign(createRecordingFile(out, isGzip), { name: out })
      : createRotatingFile(out, { period: rotate, isGzip, startAt, elapsed: rxClock.elapsed })
  } catch (thrown) {
    return usageError(command, `--out: ${out} cannot be written: ${systemText(thrown)}`)
  }
}

const standardOutput = (stdout: Writable): RecordOutput => {
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    name: undefined,
    write: (line, done) => {
      bytes += Buffer.byteLength(line)
      stdout.write(line, done)
    },
    on: (event, failed) => stdout.on(event, failed),
    off: (event, failed) => stdout.off(event, failed),
    close: () => undefined,
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
  if (name !== undefined) logResult(io, `${counted(rows, 'row')} in ${name}`)
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

export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** In ms. */
  readonly duration: number
  /** Time since the last price of any token, in ms; undefined before the first. */
  readonly priceAge: number | undefined
}

export const progressLine = ({ rows, bytes, duration, priceAge }: Progress, grouped: NumberFormat): string =>
  [
    counted(rows, 'row', grouped),
    formatBytes(bytes),
    formatDuration(duration),
    priceAge === undefined ? 'no price yet' : `last price ${formatAge(priceAge)} ago`,
  ].join('  ')

const byteUnits = ['kB', 'MB', 'GB', 'TB'] as const

/** A number of bytes in decimal units: `12.3 kB`. */
const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return counted(bytes, 'byte')
  const power = Math.min(byteUnits.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${String(byteUnits[power - 1])}`
}
