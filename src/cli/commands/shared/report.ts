import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { PaperOptions, ReportGaps } from '../../../backtest/paper/index.js'
import { paperTable } from '../../../backtest/account/options.js'
import { replay } from '../../../backtest/recording/index.js'
import type { RecordingHeader } from '../../../backtest/recording/codec/row.js'
import { allTimes, type TimeRange } from '../../../backtest/recording/codec/timeline.js'
import { nodePlatform } from '../../../backtest/recording/read/node-platform.js'
import { Inspection } from '../../../backtest/recording/summary/inspection.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import { printable } from '../../../base/errors/text.js'
import { orFail } from '../../render/error-text.js'
import { writing } from '../../render/file-problem.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import type { Io } from '../../io.js'
import { shellWord } from '../../render/shell-word.js'

export const writePage = (path: string, html: string): void =>
  writing(`--report: ${printable(path)}`, () => writeFileSync(path, html))

export const titleOf = (run: string, recordings: readonly string[]): string =>
  `${run} over ${recordings.map((file) => basename(file)).join(', ')}`

/** `assumedDepth`: the quantity of each depth, in tokens, if it is not recorded. */
export const assumptionsOf = (options: PaperOptions, assumedDepth?: string): string => {
  const all = { ...parseOptions(paperTable, options, { allowsUndefined: true }), journal: undefined }
  const rules = Object.entries({ ...all, tokens: Object.keys(options.tokens).join(' and ') }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name} ${value}`]),
  )
  const text = `Assumptions: ${rules.join(', ')}. Times are in ms. Fills are at the midpoint, with slippageBps. Orders do not move the market.`
  return [text, ...depthNotes(assumedDepth)].join(' ')
}

const depthNotes = (assumedDepth: string | undefined): readonly string[] =>
  assumedDepth === undefined
    ? []
    : [
        `The depth is not recorded: it is assumed to be ${assumedDepth} tokens on both sides, with each price.`,
      ]

const candleNotes = ({ candles }: Pick<RecordingHeader, 'candles'>): readonly string[] =>
  candles === undefined
    ? []
    : [
        `The data are candles of ${candles}: stops and limits are looked at once a candle, at its open and the close before it, because the times of its high and its low are not known. With a latency, an order that a close causes fills at the next close. Without one, an order that the open of a token causes may fill at the close of another token before it.`,
      ]

/** Writes to stderr what the figures of an account depend on: tokens without a depth, an assumed depth, and candles. */
export const writeDataNotes = ({ stderr }: Io, header: RecordingHeader, { tokens }: PaperOptions): void => {
  const has = (names: readonly string[], name: string): boolean =>
    names.some((each) => each.toLowerCase() === name.toLowerCase())
  const lacking = Object.values(tokens).filter(
    ({ address, topic }) => has(header.topics, topic) && !has(header.mints, address),
  )
  const isWhole = header.mints.length === 0
  const ofTokens = isWhole ? '' : ` of ${lacking.map(({ symbol }) => symbol).join(' and ')}`
  if (isWhole || lacking.length > 0)
    stderr.write(
      `warning: the recording has no depth${ofTokens}, and without one no order is filled; import adds an assumed depth with --depth\n`,
    )
  for (const note of [...depthNotes(header.assumedDepth), ...candleNotes(header)])
    stderr.write(`note: ${printable(note)}\n`)
}

/** What a page says of an account, and of the recordings with a header. */
export const conditionsOf = (
  account: PaperOptions | undefined,
  header: Pick<RecordingHeader, 'assumedDepth' | 'candles'>,
): readonly string[] => [
  ...(account === undefined ? [] : [assumptionsOf(account, header.assumedDepth)]),
  ...candleNotes(header),
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
  return Object.fromEntries(tokens.map(({ symbol, topic }) => [symbol, inspection.missingTimes(topic)]))
}

/** The command that gives a page again: the one that was given. */
export const commandText = ({ parent }: Command): string =>
  ['npx svc-streams', ...(parent?.args ?? []).map(shellWord)].join(' ')
