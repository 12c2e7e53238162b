import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { filter, lastValueFrom, skipWhile, tap, type Observable } from 'rxjs'
import {
  journalEvents,
  paper,
  type PaperAccount,
  type PaperEvent,
  type PaperOptions,
} from '../../backtest/paper/index.js'
import { openJournalFile } from '../../backtest/account/journal/journal-file.js'
import { settingsOf } from '../../backtest/account/options.js'
import type { Order } from '../../backtest/account/orders.js'
import { record, resume } from '../../backtest/recording/index.js'
import { renderRun } from '../../backtest/results/render-report.js'
import { RunFold } from '../../backtest/results/run-fold.js'
import type { CaughtUp } from '../../base/domain/past.js'
import type { WriteError } from '../../base/errors/model.js'
import type { Client } from '../../client/client.js'
import { printable } from '../../base/errors/text.js'
import { rxClock } from '../../base/time/clock.js'
import { counted, formatSeconds, formatTime } from '../../view/texts.js'
import { withSource } from '../target/open-source.js'
import { attempt, checkOutput, checkOverwritten } from '../target/read-file.js'
import type { Io } from '../io.js'
import { errorLine, failureOf, orFail } from '../render/error-text.js'
import { withoutPrices } from '../render/connection-lines.js'
import { eventLines, holdingsText, printLine, printSummary } from '../render/paper-lines.js'
import { numberFormat, outputJson, type NumberFormat } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import { metricsFlags, startMetrics } from './shared/metrics-server.js'
import { assumptionsOf, notesOfRun, writeNotes, writePage } from './shared/report.js'
import { log, logConnection } from './shared/log.js'
import { costFlags, costsOf, importStrategyModule, strategyHelp } from './shared/strategy-module.js'
import { defineCommand, eventsAsJson, one, parameterFlag } from './shared/parts.js'
import { TradeFiles, tradeFileFlags } from './shared/trade-files.js'
import { parsedFlag, parseRotation, textFlag, usageError, type Values } from '../target/parse-flags.js'
import { serviceFlags } from '../target/source-flags.js'

const examples = `
Examples:
  $ npx svc-streams paper strategy.js --simulate
      Trade on paper against the simulator, until Ctrl-C. Each command has a simulator of its own: to see the account on a
      page, run 'svc-streams dashboard --simulate --port 8123 --journal desk.ndjson', and this command with the same
      journal and --gateway http://127.0.0.1:8123.
  $ npx svc-streams paper strategy.js --gateway http://127.0.0.1:8080 --journal desk.ndjson --record monday.ndjson
      Also record what the account receives: backtest monday.ndjson strategy.js gives the same events.

${strategyHelp}

With --warm-up, the strategy first runs over the prices that the gateway has recorded, or else over the first data; orders of that
time are dropped. With --journal, the summary, the report and the CSV files are those of all runs of the journal. Depth requires
--base-url and --auth-key, --gateway or --nats. Ctrl-C stops the command with exit code 0. The exit code is 1 if the journal or the
recording cannot be written, or another process uses the journal.`

const flags = {
  parameter: parameterFlag,
  journal: textFlag('--journal <file>', 'file that keeps the account over restarts'),
  record: textFlag('--record <file>', 'new file for a recording of what the account receives'),
  warmUp: parsedFlag(
    '--warm-up <duration>',
    'run the strategy over so much of the recorded past of a gateway, or of the first data, first',
    parseRotation,
  ),
  report: textFlag('--report <file>', 'HTML file to write at the end; an existing file is overwritten'),
  json: eventsAsJson,
  ...tradeFileFlags,
  ...costFlags,
  ...metricsFlags,
  ...serviceFlags,
}

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/account.md',
  arguments: one('<strategy>', 'the module of the strategy'),
  flags,
  action: tradeOnPaper,
})

async function tradeOnPaper(
  io: Io,
  command: Command,
  given: Values<typeof flags>,
  module: string,
): Promise<void> {
  const { parameter, journal, record: recording, report, json = false } = given
  const { trades, equity } = given
  checkOverwritten({ journal, record: recording, report, trades, equity }, [module])
  checkOutput('--record', recording)
  const { strategy$, options: own } = await importStrategyModule(module, costsOf(given))
  const { warmUp = own.warmUp ?? 0 } = given
  await using metrics = await startMetrics(given)
  if (metrics !== undefined) log(io, `The metrics for Prometheus are at ${metrics.baseUrl}/metrics.`)
  await withSource(command, 'both', async ({ client, depthClient, history }) => {
    if (depthClient === undefined) return usageError('a fill needs depth: the source has none')
    // Over a history, the strategy is warm before the first data of the account.
    const options = {
      ...own,
      ...(journal === undefined ? {} : { journal }),
      warmUp: history === undefined ? warmUp : 0,
    }
    if (options.warmUp > 0)
      log(io, `The source has no history: the orders of the first ${formatSeconds(warmUp)} are not executed.`)
    const { tokens, depthInterval: interval } = settingsOf(options)
    const resumed =
      journal === undefined ? undefined : resumedText(journal, options.tokens, numberFormat(io.stderr))
    if (resumed !== undefined) log(io, resumed)
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
    const from = rxClock.wallClock() - warmUp
    let traded: PaperAccount | undefined
    const run$ = paper(
      depthClient,
      (market, account) => {
        traded = account
        const order$ = (own: Client) => strategy$(own, account, parameter)
        return warmUp === 0 || history === undefined
          ? order$(market)
          : liveOrder$(resume(market, history, order$, { from }))
      },
      options,
    )
    // Ctrl-C closes the client: the streams complete, and the account emits its last events.
    const stopping = stop$(io, undefined).subscribe(close)
    stopping.add(logConnection(io, client, effects))
    const run = new RunFold(report !== undefined)
    const tradeFiles = new TradeFiles(given, options.tokens)
    const keep = (event: PaperEvent): void => {
      run.add(event)
      tradeFiles.add(event)
    }
    let failure: WriteError | undefined
    const lineOf = json ? outputJson : eventLines(options.tokens, numberFormat(io.stdout))
    await lastValueFrom(
      run$.pipe(
        tap((event) => {
          printLine(io, lineOf(event))
          if (event._tag === 'WriteError') failure = event
          // At the end, those of all runs are read from the journal.
          if (options.journal === undefined) keep(event)
        }),
      ),
      { defaultValue: undefined },
    )
    stopping.unsubscribe()
    close()
    const written = await recorded
    if (written !== undefined && isLeft(written))
      throw new Error(`--record: ${printable(recording ?? '')}: ${errorLine(written.left)}`)
    if (failure !== undefined) throw failureOf(failure)
    if (options.journal !== undefined)
      for (const event of orFail(await journalEvents(options.journal)())) keep(event)
    tradeFiles.close()
    printSummary(io, run.summary, json)
    const notes = notesOfRun(run, traded)
    writeNotes(io, notes)
    if (report === undefined) return
    const conditions = [assumptionsOf({ ...options, warmUp }), ...(resumed === undefined ? [] : [ofLastRun])]
    writePage(
      report,
      renderRun(run, { title: `${basename(module)} on paper`, notes: [...notes, ...conditions] }),
    )
  })
}

const ofLastRun =
  'The assumptions are those of the last run: earlier runs of the journal may have had others, and other cash.'

const effects = { ...withoutPrices('account'), depth: 'No order is filled without a current depth.' }

/** What the account continues with; undefined if it starts. The account itself fails for a journal that is damaged or locked. */
const resumedText = (
  journal: string,
  tokens: PaperOptions['tokens'],
  grouped: NumberFormat,
): string | undefined => {
  if (!existsSync(journal)) return undefined
  const opened = attempt(() => openJournalFile(journal))
  if (isLeft(opened)) return undefined
  opened.right.close()
  if (opened.right.saved === undefined) return undefined
  const { at, cash, holdings: held, orders } = opened.right.saved
  const holdings = holdingsText(cash, held, tokens, grouped)
  const open = counted(orders.length, 'open order')
  return `Resumed from ${printable(journal)}, which ends at ${formatTime(at)}: ${holdings}, ${open}.`
}

/** Only the live orders of a resumed strategy. */
const liveOrder$ = (order$: Observable<Order | CaughtUp>): Observable<Order> =>
  order$.pipe(skipWhile(isOrder), filter(isOrder))

const isOrder = (value: Order | CaughtUp): value is Order => value._tag !== 'CaughtUp'
