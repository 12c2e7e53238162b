import { basename } from 'node:path'
import type { Command } from 'commander'
import { filter, lastValueFrom, skipWhile, tap, type Observable } from 'rxjs'
import { journalEvents, paper, renderReport, type PaperEvent } from '../../backtest/paper/index.js'
import { settingsOf, withoutJournal } from '../../backtest/paper/options.js'
import type { Order } from '../../backtest/paper/orders.js'
import { record, replay, resume } from '../../backtest/recording/index.js'
import type { CaughtUp } from '../../base/domain/past.js'
import type { Client } from '../../client/client.js'
import { withSource } from '../target/open-source.js'
import { noRowText, rangeOf, type RangeFlags } from '../target/range.js'
import { checkOutput } from '../target/read-file.js'
import type { Io } from '../io.js'
import { printable } from '../../base/errors/text.js'
import { orFail } from '../render/error-text.js'
import { outputJson } from '../render/json.js'
import { eventLines, printSummary, resultLine } from '../render/paper-lines.js'
import { numberFormat } from '../render/terminal.js'
import { usageError } from '../run.js'
import { completes, stop$ } from '../stop.js'
import { backtestFiles, strategyParameter } from '../commands/shared/replayed-strategy.js'
import { startMetrics, type MetricsFlags } from '../commands/shared/metrics-server.js'
import { assumptionsOf, candleNotes, writeBacktestReport, writePage } from '../commands/shared/report.js'
import { log } from '../commands/shared/serve.js'
import { importStrategyModule } from '../commands/shared/strategy-module.js'

interface BacktestFlags extends RangeFlags {
  readonly parameter?: string
  readonly report?: string
  readonly json?: boolean
}

/** Runs a strategy with an account over recordings, and prints its summary. */
export const backtestRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  flags: BacktestFlags,
): Promise<void> => {
  const { parameter: text, report, json = false } = flags
  const { recordings, module } = backtestFiles(command, files)
  checkOutput(command, '--report', report, false)
  const range = rangeOf(command, flags)
  const parameter = strategyParameter(command, text)
  const { strategy$, options: own } = await importStrategyModule(module)
  const options = withoutJournal(own)
  await using client = replay(recordings, { speed: Infinity, ...range })
  const header = orFail(await client.header())
  if (header.mints.length === 0) io.stderr.write(withoutDepth)
  for (const note of candleNotes(header)) io.stderr.write(`note: ${printable(note)}\n`)
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
    () => ': the backtest has not ended',
  )
  if (!isComplete) return
  const summary = orFail(await client.finished)
  if (summary.rows === 0) throw new Error(noRowText(header.at, range))
  printSummary(io, events, json)
  if (report === undefined) return
  const run = { files, recordings, module, range, options, summary, header }
  await writeBacktestReport(report, events, { ...run, flags: { parameter: text, ...range, report } })
}

const withoutDepth =
  'warning: the recording has no depth, and without one no order is filled; import adds an assumed depth with --depth\n'

interface PaperFlags extends MetricsFlags {
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
  checkOutput(command, '--journal', journal, false)
  checkOutput(command, '--record', recording)
  checkOutput(command, '--report', report, false)
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
    if (written !== undefined) orFail(written)
    if (options.journal !== undefined && events.length === 0)
      events.push(...orFail(await journalEvents(options.journal)()))
    printSummary(io, events, json)
    if (report === undefined) return
    const notes = [assumptionsOf(options)]
    writePage(report, renderReport(events, { title: `${basename(module)} on paper`, notes }))
  })
}

/** The orders of a resumed strategy that are live. */
const liveOrder$ = (order$: Observable<Order | CaughtUp>): Observable<Order> =>
  order$.pipe(skipWhile(isOrder), filter(isOrder))

const isOrder = (value: Order | CaughtUp): value is Order => value._tag !== 'CaughtUp'

const print = ({ stdout }: Io, line: string | undefined): void => {
  if (line !== undefined) stdout.write(`${line}\n`)
}
