import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { filter, lastValueFrom, skipWhile, tap, type Observable } from 'rxjs'
import { journalEvents, paper, renderReport, type PaperEvent } from '../../../backtest/paper/index.js'
import { settingsOf, withoutJournal } from '../../../backtest/paper/options.js'
import type { Order } from '../../../backtest/paper/orders.js'
import { record, replay, resume } from '../../../backtest/recording/index.js'
import { definedRange } from '../../../backtest/recording/replay/replay-options.js'
import type { CaughtUp } from '../../../base/domain/past.js'
import type { Client } from '../../../client/client.js'
import { withSource } from '../input/open-source.js'
import type { Io } from '../io.js'
import { errorLine } from '../output/error-text.js'
import { outputJson } from '../output/json.js'
import { eventLines, printSummary, resultLine } from '../output/paper-lines.js'
import { numberFormat } from '../output/terminal.js'
import { usageError } from '../run.js'
import { completes, stop$ } from '../stop.js'
import { backtestFiles, strategyParameter } from './backtest.js'
import { startMetrics, type MetricsFlags } from './metrics-server.js'
import { assumptionsOf, writeBacktestReport } from './report.js'
import { log } from './serve.js'
import { noRowText } from './replay.js'
import { importStrategyModule } from './strategy-module.js'

export interface BacktestFlags {
  readonly parameter?: string
  readonly report?: string
  /** In ms since the Unix epoch. */
  readonly from?: number
  /** In ms since the Unix epoch. */
  readonly to?: number
  readonly columns: boolean
  readonly json?: boolean
}

/** Runs a strategy with an account over recordings, and prints its summary. */
export const backtestRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  flags: BacktestFlags,
): Promise<void> => {
  const { parameter: text, report, from: first, to, columns, json = false } = flags
  const { recordings, module } = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  const { strategy$, options: own } = await importStrategyModule(module)
  const options = withoutJournal(own)
  const range = definedRange(first, to)
  await using client = replay(recordings, { speed: Infinity, columns, ...range })
  const header = await client.header()
  if (!isLeft(header) && header.right.mints.length === 0) io.stderr.write(withoutDepth)
  const events: PaperEvent[] = []
  const lineOf = json ? outputJson : resultLine(options.tokens, numberFormat(io.stdout))
  const run$ = client.run$((recorded) =>
    paper(recorded, (market, account) => strategy$(market, account, parameter), options),
  )
  const isComplete = await completes(
    io,
    run$.pipe(
      tap((event) => {
        print(io, lineOf(event))
        events.push(event)
      }),
    ),
  )
  if (!isComplete) return void io.stderr.write('stopped: the backtest has not ended\n')
  const played = await client.finished
  if (isLeft(played)) throw new Error(errorLine(played.left))
  if (played.right.rows === 0 && !isLeft(header)) throw new Error(noRowText(header.right.at, range))
  printSummary(io, events, json)
  if (report === undefined) return
  const run = { files, recordings, module, range, options, summary: played.right }
  await writeBacktestReport(report, events, {
    ...run,
    flags: { parameter: text, from: first, to, report },
    header: isLeft(header) ? undefined : header.right,
  })
}

const withoutDepth =
  'warning: the recording has no depth, and without one no order is filled; import adds an assumed depth with --depth\n'

export interface PaperFlags extends MetricsFlags {
  readonly parameter?: string
  readonly journal?: string
  readonly record?: string
  /** In ms. */
  readonly warmUp?: number
  readonly report?: string
  readonly json?: boolean
}

/** Trades a strategy on paper until the user stops the command, and prints its summary: with a journal, of all its runs. */
export const tradeOnPaper = async (
  io: Io,
  command: Command,
  module: string,
  flags: PaperFlags,
): Promise<void> => {
  const { parameter: text, journal, record: recording, warmUp = 0, report, json = false } = flags
  const parameter = strategyParameter(command, text)
  const { strategy$, options: own } = await importStrategyModule(module)
  const options = { ...own, ...(journal === undefined ? {} : { journal }) }
  await using metrics = await startMetrics(flags)
  if (metrics !== undefined) log(io, `The metrics for Prometheus are at ${metrics.baseUrl}/metrics.`)
  await withSource(command, 'both', async ({ client, depthClient, history }) => {
    if (depthClient === undefined) return usageError(command, 'a fill needs depth: the source has none')
    if (warmUp > 0 && history === undefined)
      return usageError(command, '--warm-up needs a history: give --gateway or --nats')
    const { tokens, depthInterval: interval } = settingsOf(options)
    const close = () => void client.close()
    // It subscribes before the account, which then has the rows of the recording.
    const recorder =
      recording === undefined
        ? undefined
        : record(depthClient, {
            ...{ topics: tokens.map(({ topic }) => topic), mints: tokens.map(({ address }) => address) },
            ...{ interval, to: recording },
          })
    const recorded = recorder?.finished.finally(close)
    const from = Date.now() - warmUp
    const run$ = paper(
      depthClient,
      (market, account) => {
        const order$ = (own: Client) => strategy$(own, account, parameter)
        return warmUp === 0 || history === undefined
          ? order$(market)
          : liveOrder$(resume(market, history, order$, { from }))
      },
      options,
    )
    // Ctrl-C closes the client: the streams complete, and the account emits its last events.
    const stopping = stop$(io, undefined).subscribe(close)
    const events: PaperEvent[] = []
    const lineOf = json ? outputJson : eventLines(options.tokens, numberFormat(io.stdout))
    // A run may take weeks: a journal keeps the events instead of the memory.
    const isKept = (event: PaperEvent): boolean =>
      options.journal === undefined || event._tag === 'WriteError'
    await lastValueFrom(
      run$.pipe(
        tap((event) => {
          print(io, lineOf(event))
          if (isKept(event)) events.push(event)
        }),
      ),
      { defaultValue: undefined },
    )
    stopping.unsubscribe()
    close()
    const written = await recorded
    if (written !== undefined && isLeft(written)) throw new Error(errorLine(written.left))
    if (options.journal !== undefined && events.length === 0) {
      const all = await journalEvents(options.journal)()
      if (isLeft(all)) throw new Error(errorLine(all.left))
      events.push(...all.right)
    }
    printSummary(io, events, json)
    if (report === undefined) return
    const notes = [assumptionsOf(options)]
    writeFileSync(report, renderReport(events, { title: `${basename(module)} on paper`, notes }))
  })
}

/** The orders of a resumed strategy that are live. */
const liveOrder$ = (order$: Observable<Order | CaughtUp>): Observable<Order> =>
  order$.pipe(skipWhile(isOrder), filter(isOrder))

const isOrder = (value: Order | CaughtUp): value is Order => value._tag !== 'CaughtUp'

const print = ({ stdout }: Io, line: string | undefined): void => {
  if (line !== undefined) stdout.write(`${line}\n`)
}
