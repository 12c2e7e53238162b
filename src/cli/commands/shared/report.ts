import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { PaperOptions, ReportData } from '../../../backtest/paper/index.js'
import { paperTable } from '../../../backtest/account/options.js'
import type { RecordingHeader } from '../../../backtest/recording/codec/row.js'
import { allTimes, type TimeRange } from '../../../backtest/recording/codec/timeline.js'
import { replay, type ReplaySummary } from '../../../backtest/recording/index.js'
import { nodePlatform } from '../../../backtest/recording/read/node-platform.js'
import { Inspection } from '../../../backtest/recording/summary/inspection.js'
import { MissingTimes, type MissingTime } from '../../../backtest/recording/summary/missing-times.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import type { ChainedRuns } from '../../../backtest/results/chained-runs.js'
import { renderRun, type ReportWindows } from '../../../backtest/results/render-report.js'
import type { RunFold } from '../../../backtest/results/run-fold.js'
import { printable, systemText } from '../../../base/errors/text.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import { counted } from '../../../view/texts.js'
import type { BacktestFiles, Page } from './replayed-strategy.js'
import { orFail } from '../../render/error-text.js'
import { shellWord } from '../../render/shell-word.js'

// The pages that `backtest`, `paper` and `sweep --walk-forward` write.

export interface Backtest extends BacktestFiles {
  readonly range: Partial<TimeRange>
  readonly options: PaperOptions
  readonly header: RecordingHeader
  readonly summary: ReplaySummary
}

/** Writes the page of a backtest. Reads the recordings again, for their gaps. */
export const writeBacktestReport = async (
  { path, command }: Page,
  run: RunFold,
  { recordings, module, range, options, header, summary }: Backtest,
): Promise<void> => {
  const html = renderRun(run, {
    title: titleOf(basename(module), recordings),
    notes: [
      assumptionsOf(options, header.assumedDepth),
      ...candleNotes(header),
      rowsText(summary, header.invalidRows ?? 0),
    ],
    data: await dataOf(recordings, range, options),
    command,
  })
  writePage(path, html)
}

/** Throws if the page of `--report` cannot be written. */
export const writePage = (path: string, html: string): void => {
  try {
    writeFileSync(path, html)
  } catch (thrown) {
    throw new Error(`--report: ${printable(path)} cannot be written: ${systemText(thrown)}`, {
      cause: thrown,
    })
  }
}

export const titleOf = (run: string, recordings: readonly string[]): string =>
  `${run} over ${recordings.map((file) => basename(file)).join(', ')}`

export interface WalkForwardPage extends BacktestFiles {
  /** Those of the account, if the module exports them. */
  readonly options: PaperOptions | undefined
  readonly windows: ReportWindows
  /** The windows and their total, in words. */
  readonly total: string
}

/** Writes the page of the test ranges as one curve. Reads the recordings again, for their gaps. */
export const writeWalkForwardReport = async (
  { path, command }: Page,
  run: ChainedRuns,
  { options, windows, total, recordings, module }: WalkForwardPage,
): Promise<void> => {
  const { equities } = run.trades
  const range = { from: equities[0]?.at ?? 0, to: (equities.at(-1)?.at ?? 0) + 1 }
  await using client = replay(recordings, { speed: Infinity })
  const header = orFail(await client.header())
  const untested = windows.list
    .filter(({ failure }) => failure !== undefined)
    .map(({ from, to }) => ({ from, to, cause: 'no result' }))
  const html = renderRun(
    run,
    {
      title: titleOf(`${basename(module)}, walk-forward`, recordings),
      notes: [
        chainRule,
        total,
        ...(options ? [assumptionsOf(options, header.assumedDepth)] : []),
        ...candleNotes(header),
        `Data: left out: ${header.invalidRows ?? 0} invalid in the imported files.`,
      ],
      data: (await dataOf(recordings, range, options)).map(({ gaps, ...each }) => ({
        ...each,
        gaps: [...gaps, ...untested].sort((a, b) => a.from - b.from),
      })),
      command,
    },
    windows,
  )
  writePage(path, html)
}

const chainRule =
  'The parameter of each test range was chosen on the range before it. An account starts anew in each range, and closes its ' +
  'positions at the end. The curve, the profit and the returns chain the returns of the ranges; the other amounts in USD are those of the accounts.'

/** `assumedDepth`: the quantity of each depth, in tokens, if it is not recorded. */
export const assumptionsOf = (options: PaperOptions, assumedDepth?: string): string => {
  const all = { ...parseOptions(paperTable, options, { allowsUndefined: true }), journal: undefined }
  const rules = Object.entries({ ...all, tokens: Object.keys(options.tokens).join(' and ') }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name} ${value}`]),
  )
  const depth =
    assumedDepth === undefined
      ? ''
      : ` The depth is not recorded: it is assumed to be ${assumedDepth} tokens on both sides, with each price.`
  return `Assumptions: ${rules.join(', ')}. Times are in ms. Fills are at the midpoint, with slippageBps. Orders do not move the market.${depth}`
}

/** What candles do not have. */
export const candleNotes = ({ candles }: Pick<RecordingHeader, 'candles'>): readonly string[] =>
  candles === undefined
    ? []
    : [
        `The data are candles of ${candles}: stops and limits are looked at once a candle, at its open and the close before it, because the times of its high and its low are not known.`,
      ]

const rowsText = ({ rows, earlierRows, skewedRows }: ReplaySummary, invalidRows: number): string =>
  `Data: ${counted(rows, 'row')} played. Left out: ${invalidRows} invalid in the imported files. Played, but doubtful: ` +
  `${earlierRows} earlier than their predecessor, ${skewedRows} with a receivedAt more than a minute off.`

/** The rows and the gaps of each token of the account, or of each topic. */
const dataOf = async (
  recordings: readonly string[],
  range: Partial<TimeRange>,
  options: PaperOptions | undefined,
): Promise<readonly ReportData[]> => {
  const missing = new Map<string, MissingTimes>()
  const inspection = new Inspection((topic) => {
    const times = new MissingTimes()
    missing.set(topic.toLowerCase(), times)
    return (event) => times.onEvent(event)
  })
  await inspection.read(openableSources(nodePlatform, recordings), { ...allTimes, ...range })
  const summaries = inspection.summaries()
  const tokens: readonly { readonly symbol: string; readonly topic: string }[] =
    options === undefined
      ? summaries.map(({ topic }) => ({ symbol: topic, topic }))
      : Object.values(options.tokens)
  return tokens.flatMap(({ symbol, topic }) => {
    const key = topic.toLowerCase()
    const summary = summaries.find((each) => each.topic.toLowerCase() === key)
    if (summary === undefined) return [{ symbol, rows: 0, from: undefined, to: undefined, gaps: [] }]
    const { rows, from, to } = summary
    const gaps = (missing.get(key)?.list() ?? []).map((gap) => ({ ...gap, cause: causeTexts[gap.cause] }))
    return [{ symbol, rows, from, to, gaps }]
  })
}

const causeTexts: Readonly<Record<MissingTime['cause'], string>> = {
  disconnected: 'disconnected',
  stale: 'stale: no price came',
  unrecorded: 'not recorded',
  silent: 'no price in the data',
}

/** The command that gives a page again: the one that was given. */
export const commandText = ({ parent }: Command): string =>
  ['npx svc-streams', ...(parent?.args ?? []).map(shellWord)].join(' ')
