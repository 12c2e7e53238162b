import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Account, PaperAccount, PaperOptions, ReportGaps } from '../../../backtest/paper/index.js'
import { paperTable } from '../../../backtest/account/options.js'
import { replay } from '../../../backtest/recording/index.js'
import type { RecordingHeader } from '../../../backtest/recording/codec/row.js'
import { allTimes, type TimeRange } from '../../../backtest/recording/codec/timeline.js'
import { nodePlatform } from '../../../backtest/recording/read/node-platform.js'
import { Inspection } from '../../../backtest/recording/summary/inspection.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import type { RunFold } from '../../../backtest/results/run-fold.js'
import { printable } from '../../../base/errors/text.js'
import { orFail } from '../../render/error-text.js'
import { writing } from '../../render/file-problem.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import type { Io } from '../../io.js'
import { formatDuration } from '../../../view/format.js'
import { counted, formatTime } from '../../../view/texts.js'
import { shellWord } from '../../render/shell-word.js'

export const writePage = (path: string, html: string): void =>
  writing(`--report: ${printable(path)}`, () => writeFileSync(path, html))

export const titleOf = (run: string, recordings: readonly string[]): string =>
  `${run} over ${recordings.map((file) => basename(file)).join(', ')}`

export const assumptionsOf = (options: PaperOptions): string => {
  const all = { ...parseOptions(paperTable, options, { allowsUndefined: true }), journal: undefined }
  const rules = Object.entries({ ...all, tokens: Object.keys(options.tokens).join(' and ') }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name} ${value}`]),
  )
  return `Assumptions: ${rules.join(', ')}. Times are in ms. Fills are at the midpoint, with slippageBps. Orders do not move the market.`
}

/** The tokens of an account that have prices and no depth. */
const missingDepths = ({ topics, mints }: RecordingHeader, { tokens }: PaperOptions): readonly string[] => {
  const has = (names: readonly string[], name: string): boolean =>
    names.some((each) => each.toLowerCase() === name.toLowerCase())
  const missing = Object.values(tokens).filter(
    ({ address, topic }) => has(topics, topic) && !has(mints, address),
  )
  if (mints.length > 0 && missing.length === 0) return []
  const ofTokens = mints.length === 0 ? '' : ` of ${missing.map(({ symbol }) => symbol).join(' and ')}`
  return [
    `the recording has no depth${ofTokens}, and without one no order is filled; import adds an assumed depth with --depth`,
  ]
}

const dataNotes = ({ assumedDepth: depth, candles }: RecordingHeader): readonly string[] => [
  ...(depth === undefined
    ? []
    : [`The depth is not recorded: it is assumed to be ${depth} tokens on both sides, with each price.`]),
  ...(candles === undefined
    ? []
    : [
        `The data are candles of ${candles}: stops and limits are looked at once a candle, at its open and the close before it, because the times of its high and its low are not known. With a latency, an order that a close causes fills at the next close. Without one, an order that the open of a token causes may fill at the close of another token before it.`,
      ]),
]

/** The data begin after the start of the warm-up before `from`. */
const shortWarmUp = (
  { at }: RecordingHeader,
  { warmUp = 0 }: PaperOptions,
  { from = Infinity }: Partial<TimeRange>,
): readonly string[] =>
  warmUp === 0 || at <= from - warmUp
    ? []
    : [
        `the data begin at ${formatTime(at)}: the warm-up is ${formatDuration(Math.max(0, from - at))}, not ${formatDuration(warmUp)}`,
      ]

/**
 * Writes to stderr what the figures of an account depend on: tokens without a depth, a short warm-up, an assumed depth, and
 * candles.
 */
export const writeDataNotes = (
  io: Io,
  header: RecordingHeader,
  account: PaperOptions,
  range: Partial<TimeRange>,
): void => {
  for (const warning of [...missingDepths(header, account), ...shortWarmUp(header, account, range)])
    io.stderr.write(`warning: ${printable(warning)}\n`)
  writeNotes(io, dataNotes(header))
}

export const writeNotes = ({ stderr }: Io, notes: readonly string[]): void => {
  for (const note of notes) stderr.write(`note: ${printable(note)}\n`)
}

/** Below this length of a run, its figures per year say little, in ms. */
const shortRun = 30 * 86_400_000

/** A position whose token had no price at the end has the value of an earlier time. */
const outdatedPositions = ({ at, positions }: Account, gaps: ReportGaps): readonly string[] =>
  positions.flatMap(({ symbol }) => {
    const { from, to } = gaps[symbol]?.at(-1) ?? { from: 0, to: 0 }
    return to < at
      ? []
      : [
          `The position in ${symbol} has the value of its last price, ${formatDuration(to - from)} before the end.`,
        ]
  })

/** What the figures of a run that has ended do not say. `end`: its last event. */
export const notesOfRun = (
  { folded: { curve, summary } }: RunFold,
  account: PaperAccount | undefined,
  end?: Account,
  gaps: ReportGaps = {},
): readonly string[] => {
  let openOrders = 0
  account?.open$.subscribe(({ length }) => (openOrders = length))
  const spanMs = (curve.at(-1)?.at ?? 0) - (curve[0]?.at ?? 0)
  return [
    ...(end === undefined ? [] : outdatedPositions(end, gaps)),
    ...(openOrders === 0 ? [] : [`Open at the end of the data: ${counted(openOrders, 'order')}.`]),
    ...(summary.annual === null || spanMs >= shortRun
      ? []
      : [`The figures per year extrapolate ${formatDuration(spanMs)} to 365 days.`]),
  ]
}

/** What a page says of an account, and of the recordings with a header. */
export const conditionsOf = (
  account: PaperOptions | undefined,
  header: RecordingHeader,
): readonly string[] => [
  ...(account === undefined
    ? []
    : [assumptionsOf(account), ...missingDepths(header, account).map((text) => `Warning: ${text}.`)]),
  ...dataNotes(header),
]

export const headerOf = async (recordings: readonly string[]): Promise<RecordingHeader> => {
  await using client = replay(recordings, { speed: Infinity })
  return orFail(await client.header())
}

/** The times without prices of each token of the account, or of each topic. */
export const gapsOf = async (
  recordings: readonly string[],
  range: Partial<TimeRange>,
  options: PaperOptions | undefined,
): Promise<ReportGaps> => {
  const inspection = new Inspection()
  await inspection.read(openableSources(nodePlatform, recordings), { ...allTimes, ...range })
  const tokens =
    options === undefined
      ? inspection.summaries().map(({ topic }) => ({ symbol: topic, topic }))
      : Object.values(options.tokens)
  const missing = (topic: string) => inspection.missingTimes(topic, inspection.end)
  return Object.fromEntries(tokens.map(({ symbol, topic }) => [symbol, missing(topic)]))
}

/** The command that gives a page again: the one that was given. */
export const commandText = ({ parent }: Command): string =>
  ['npx svc-streams', ...(parent?.args ?? []).map(shellWord)].join(' ')
