import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { lastValueFrom, tap } from 'rxjs'
import {
  paper,
  renderReport,
  summaryOf,
  type PaperEvent,
  type PaperOptions,
} from '../../../backtest/paper/index.js'
import { replay, type ReplaySummary } from '../../../backtest/recording/index.js'
import { printable } from '../../../base/errors/text.js'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../display/texts.js'
import { withSource } from '../input/open-source.js'
import type { Io } from '../io.js'
import { errorLine } from '../output/error-text.js'
import { outputJson } from '../output/json.js'
import { usageError } from '../run.js'
import { completes, stop$ } from '../stop.js'
import { backtestFiles, strategyParameter } from './backtest.js'
import { importStrategy } from './strategy-module.js'

export interface BacktestFlags {
  readonly parameter?: string
  readonly report?: string
  /** In ms since the Unix epoch. */
  readonly from?: number
  /** In ms since the Unix epoch. */
  readonly to?: number
  readonly json?: boolean
}

/** Runs a strategy with an account over recordings, and prints its summary. */
export const backtestRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { parameter: text, report, from: first, to, json = false }: BacktestFlags,
): Promise<void> => {
  const { recordings, module } = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  const { strategy$, options } = await importStrategy(module)
  const range = { ...(first === undefined ? {} : { from: first }), ...(to === undefined ? {} : { to }) }
  await using client = replay(recordings, { speed: Infinity, ...range })
  const events: PaperEvent[] = []
  const run$ = client.run$((recorded) =>
    paper(recorded, (market, account) => strategy$(market, account, parameter), options),
  )
  const isComplete = await completes(io, run$.pipe(tap((event) => print(io, event, options, json, events))))
  if (!isComplete) return void io.stderr.write('stopped: the backtest has not ended\n')
  const played = await client.finished
  if (isLeft(played)) throw new Error(errorLine(played.left))
  printSummary(io, events, json)
  if (report === undefined) return
  const title = `${basename(module)} over ${recordings.map((file) => basename(file)).join(', ')}`
  writeFileSync(report, renderReport(events, { title, notes: notesOf(options, played.right, files, text) }))
}

/** The assumptions, the quality of the data, and the command to repeat the run. */
const notesOf = (
  options: PaperOptions,
  { rows, earlierRows, skewedRows }: ReplaySummary,
  files: readonly string[],
  parameter: string | undefined,
): readonly string[] => {
  const rules = Object.entries(options).map(
    ([name, value]) =>
      `${name} ${name === 'tokens' ? Object.keys(options.tokens).join(' and ') : String(value)}`,
  )
  return [
    `Assumptions: ${rules.join(', ')}. Orders do not move the market.`,
    `Data: ${rows} rows; ${earlierRows} are earlier than their predecessor, ${skewedRows} have a receivedAt more than a minute off.`,
    `Repeat it: npx svc-streams backtest ${files.join(' ')}${parameter === undefined ? '' : ` --parameter '${parameter}'`}`,
  ]
}

export interface PaperFlags {
  readonly parameter?: string
  readonly journal?: string
  readonly json?: boolean
}

/** Trades a strategy on paper until the user stops the command, and prints its summary. */
export const tradeOnPaper = async (
  io: Io,
  command: Command,
  module: string,
  { parameter: text, journal, json = false }: PaperFlags,
): Promise<void> => {
  const parameter = strategyParameter(command, text)
  const { strategy$, options: own } = await importStrategy(module)
  const options = { ...own, ...(journal === undefined ? {} : { journal }) }
  await withSource(command, 'both', async ({ client, depthClient }) => {
    if (depthClient === undefined) return usageError(command, 'a fill needs depth: the source has none')
    const events: PaperEvent[] = []
    const run$ = paper(depthClient, (market, account) => strategy$(market, account, parameter), options)
    // Ctrl-C closes the client: the streams complete, and the account emits its last events.
    const stopping = stop$(io, undefined).subscribe(() => void client.close())
    await lastValueFrom(run$.pipe(tap((event) => print(io, event, options, json, events))), {
      defaultValue: undefined,
    })
    stopping.unsubscribe()
    printSummary(io, events, json)
  })
}

/** Keeps an event, and prints it: with `--json` each one, otherwise the results of orders. */
const print = (
  { stdout }: Io,
  event: PaperEvent,
  { tokens }: PaperOptions,
  json: boolean,
  events: PaperEvent[],
): void => {
  events.push(event)
  const line = json ? outputJson(event) : lineOf(event, tokens)
  if (line !== undefined) stdout.write(`${line}\n`)
}

const lineOf = (event: PaperEvent, tokens: PaperOptions['tokens']): string | undefined => {
  switch (event._tag) {
    case 'Filled': {
      const { at, side, symbol, quantity, price, valueUsd, id, remaining } = event
      const decimals = tokens[symbol]?.decimals
      const rest = remaining === 0n ? '' : `, ${formatTokens(remaining, decimals)} left`
      return `${formatTime(at)}  ${side.padEnd(4)} ${formatTokens(quantity, decimals)} ${symbol} at ${formatPrice(price)}, ${formatUsd(valueUsd)} USD  #${printable(id)}${rest}`
    }
    case 'Rejected':
      return `${formatTime(event.at)}  rejected  #${printable(event.id)}: ${printable(event.reason)}`
    case 'Cancelled':
      return `${formatTime(event.at)}  cancelled  #${printable(event.id)}`
    case 'Equity':
    case 'Account':
    case 'WriteError':
      return undefined
  }
}

/** One figure a line; `-` for one without a meaning. Throws if the journal could not be written. */
const printSummary = ({ stdout }: Io, events: readonly PaperEvent[], json: boolean): void => {
  const summary = summaryOf(events)
  const lines = Object.entries<number | null>({ ...summary }).map(
    ([name, value]) => `${name.padEnd(14)}${value === null ? '-' : String(Number(value.toPrecision(8)))}\n`,
  )
  stdout.write(json ? `${outputJson({ _tag: 'Summary', ...summary })}\n` : lines.join(''))
  const failure = events.find((event) => event._tag === 'WriteError')
  if (failure !== undefined) throw new Error(errorLine(failure))
}
