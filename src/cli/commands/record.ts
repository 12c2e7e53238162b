import type { Command } from 'commander'
import { isLeft, isRight, tryCatch } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, map, merge } from 'rxjs'
import { counted, formatAge, formatSeconds } from '../../view/texts.js'
import type { Address } from '../../base/domain/topic.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import { record, type LineWriter, type Recorder } from '../../backtest/recording/index.js'
import { writeError } from '../../backtest/recording/codec/errors.js'
import { gzipExtension } from '../../backtest/recording/codec/rotated-path.js'
import { createRecordingFile } from '../../backtest/recording/write/recording-file.js'
import { createRotatingFile } from '../../backtest/recording/write/rotating-file.js'
import type { DepthError, PriceError, WriteError } from '../../base/errors/model.js'
import { rxClock } from '../../base/time/clock.js'
import { withTokens, type OpenSource } from '../target/open-source.js'
import { checkOutput } from '../target/read-file.js'
import { isClosedOutput, type Io } from '../io.js'
import { withoutPrices, type LogLine } from '../render/connection-lines.js'
import { errorLine, errorText, fullDisk } from '../render/error-text.js'
import { systemText } from '../render/file-problem.js'
import { numberFormat, showProgressLine } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import { logConnection, logFormatFlag, logResult, logText, setLogFormat } from './shared/log.js'
import { Received, streamFlags, watchRows$ } from './shared/stream.js'
import { defineCommand, many, tokensHelp } from './shared/parts.js'
import {
  parsedFlag,
  parseRotation,
  textFlag,
  toggle,
  usageError,
  type Values,
} from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams record --simulate --duration 1m --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ npx svc-streams record WETH --tokens tokens.json --out market.ndjson.gz
      Record a token of the service that the environment variables configure, compressed, until Ctrl-C.
  $ npx svc-streams record --simulate --gzip --rotate 1h --out market.ndjson
      Start a new file at each full hour of UTC: market.2026-11-22T10-00-00Z.ndjson.gz, … Replay them with:
      npx svc-streams replay market.*.ndjson.gz

Every event is written immediately, errors as well as values. A compressed file is written in blocks: if the process is killed, it
lacks at most the last 2 seconds. An existing file is never overwritten.

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
  guide: 'strategies/record.md',
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
  const { depth, interval, duration, out, logFormat } = flags
  setLogFormat(io, logFormat)
  return withTokens(io, command, depth ? 'both' : 'prices', given, async ({ source, tokens }) => {
    // Called before the first row is written: Ctrl-C must not end the process in the middle of a row.
    const stopped$ = stop$(io, duration)
    const startAt = rxClock.wallClock()
    const output = openOutput(io, flags, startAt)
    const addresses = tokens.map(({ address }) => address)
    const recorder = startRecording(source, addresses, output.to, interval)
    const received = new Received()
    let lastPriceAt: number | undefined
    const progress =
      out === undefined
        ? undefined
        : showProgressLine(io, () =>
            [
              counted(recorder.rows, 'row', numberFormat(io.stderr)),
              formatSeconds(rxClock.wallClock() - startAt),
              lastPriceAt === undefined
                ? 'no price yet'
                : `last price ${formatAge(rxClock.wallClock() - lastPriceAt)} ago`,
            ].join('  '),
          )
    const print = (line: LogLine): void => {
      const text = logText(io, line)
      if (progress === undefined) io.stderr.write(`${text}\n`)
      else progress.print(text)
    }
    const lineOf = rejectionLines()
    // The second subscriber of each stream causes no additional frames and requests.
    const receiving = watchRows$(source, addresses, interval).subscribe((row) => {
      received.add(row)
      if (row._tag === 'Price' && isRight(row.event)) lastPriceAt = row.at
      const line = lineOf(row)
      if (line !== undefined) print(line)
    })
    receiving.add(logConnection(io, source.client, effects, print))
    const completed$ = from(recorder.finished).pipe(map(() => 'completed' as const))
    const end = await firstValueFrom(merge(stopped$, completed$))
    const stopped = await recorder.stop()
    progress?.hide()
    receiving.unsubscribe()
    // A file may write its last lines. After a failed write, it fails again.
    const closed = tryCatch(output.close, writeError)
    const failed = [stopped, closed].find(isLeft)
    // A closed pipe, such as that of `head`, is not a failure. The program prints any other error of standard output.
    const isClosed = failed !== undefined && (out === undefined || isClosedOutput(failed.left.cause))
    if (failed !== undefined && !isClosed) throw writeFailure(failed.left)
    const files = output.name()
    if (files !== undefined) logResult(io, `${counted(recorder.rows, 'row')} in ${files}`)
    const reason = isClosed ? 'output closed' : end
    const failure = received.failureText({ command: 'record', source, duration, end: reason })
    if (failure !== undefined) throw new Error(failure)
  })
}

interface RecordOutput {
  readonly to: LineWriter
  readonly close: () => void
  /** A description of the files so far; undefined for standard output. */
  readonly name: () => string | undefined
}

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
  interval: number,
): Recorder => {
  const topics = addresses.map((address) => `${service}-${address}` as const)
  return depthClient === undefined
    ? record(client, { to, topics })
    : record(depthClient, { to, topics, mints: addresses, interval })
}

/** A write error ends the recording. */
const writeFailure = (error: WriteError): Error => {
  const advice = fullDisk.has(error.cause.code ?? '')
    ? ' Free space on the disk, and record to a new file.'
    : ''
  return new Error(`${errorLine(error)}\nThe file has what was written before.${advice}`)
}

const effects = { ...withoutPrices('recording'), depth: 'The recording has their errors.' }

/** The line of a token that the service does not know, or whose depth it does not have: once for each. */
const rejectionLines = (): ((row: Row) => LogLine | undefined) => {
  const rejected = new Set<string>()
  return (row) => {
    if ((row._tag !== 'Price' && row._tag !== 'Depth') || !isLeft<PriceError | DepthError>(row.event))
      return undefined
    const error = row.event.left
    const name = row._tag === 'Price' ? row.topic : row.mint
    if (!rejections.has(error._tag) || rejected.has(name)) return undefined
    rejected.add(name)
    return { level: 'warn', message: errorText(error) }
  }
}

const rejections: ReadonlySet<string> = new Set(['SubscriptionRejected', 'UnsupportedPair'])
