import type { Command } from 'commander'
import { counted, formatSeconds } from '../../view/texts.js'
import type { GapCause } from '../../base/domain/past.js'
import { addressOf } from '../../base/domain/topic.js'
import { printable } from '../../base/errors/text.js'
import { nodePlatform } from '../../backtest/recording/on-node.js'
import { Inspection, type InspectedSummary } from '../../backtest/recording/past/inspection.js'
import type { TopicSummary } from '../../backtest/recording/past/topic-summary.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { recordedMarket } from '../../simulator/index.js'
import { outputJson } from '../render/json.js'
import { errorLine } from '../render/error-text.js'
import { print, type Io } from '../io.js'
import { timeWarnings } from './replay.js'
import { drawTable, type Column } from '../render/table.js'
import { coloursFor, numberFormat, type Colours, type NumberFormat } from '../render/terminal.js'
import { namedTokens, userTokens } from '../target/select-tokens.js'
import { createTokenNames } from '../target/token-names.js'

interface InspectFlags {
  /** In ms. */
  readonly maxGap?: number
  readonly json?: boolean
}

/** Prints a summary of each topic. Throws if a file is damaged, or a gap is longer than allowed. */
export const inspectRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { maxGap = Infinity, json = false }: InspectFlags,
): Promise<void> => {
  const user = userTokens(command, io.env)
  const inspection = new Inspection()
  await inspection.read(openableSources(nodePlatform, files))
  const knownTokens = recordedMarket().tokens
  const { symbol } = createTokenNames(namedTokens({ ownTokens: [], knownTokens, ...user }))
  const topics = inspection
    .summaries()
    .map(({ topic, ...others }) => ({ topic, symbol: symbol(addressOf(topic)), ...others }))
  const { damages } = inspection
  if (json) {
    const objects = [...topics, ...damages.map(({ source, line, message }) => ({ source, line, message }))]
    await print(objects.map((each) => `${outputJson(each)}\n`).join(''), io.stdout)
  } else {
    await print(
      topics.length === 0
        ? ''
        : `${tableOf(topics, coloursFor(io.stdout, io.env), numberFormat(io.stdout)).join('\n')}\n`,
      io.stdout,
    )
    for (const { topic, assumedDepth, candles } of topics) {
      if (assumedDepth !== undefined)
        await print(`${printable(topic)}: ${assumedDepthText(assumedDepth)}\n`, io.stdout)
      if (candles !== undefined)
        await print(
          `${printable(topic)}: its prices are the opens and the closes of candles of ${printable(candles)}\n`,
          io.stdout,
        )
    }
    if (inspection.invalidRows > 0)
      await print(`${counted(inspection.invalidRows, 'row')} of the imported files were invalid\n`, io.stdout)
    for (const topic of topics)
      for (const warning of timeWarnings(topic))
        io.stderr.write(`warning: ${printable(topic.topic)}: ${warning}\n`)
    for (const damage of damages) io.stderr.write(`${errorLine(damage)}\n`)
  }
  const problems = [
    ...(damages.length === 0
      ? []
      : [
          `${damages.length} of ${files.length} ${files.length === 1 ? 'file' : 'files'} cannot be read to the end`,
        ]),
    ...topics.flatMap((topic) =>
      longestGap(topic) > maxGap ? [`${topic.topic} has a gap of ${durationText(longestGap(topic))}`] : [],
    ),
  ]
  if (problems.length > 0) throw new Error(problems.join('; '))
}

interface ShownSummary extends InspectedSummary {
  /** `undefined` without a symbol. */
  readonly symbol?: string | undefined
}

const assumedDepthText = (quantity: string): string =>
  `its depth is assumed, not recorded: ${printable(quantity)} tokens on both sides with each price`

const longestGap = ({ gaps }: TopicSummary): number =>
  Math.max(...Object.values(gaps).map(({ longestMs }) => longestMs))

const tableOf = (
  topics: readonly ShownSummary[],
  { dim }: Colours,
  grouped: NumberFormat,
): readonly string[] => {
  const numberText = (value: number) => grouped(String(value))
  const column = (
    title: string,
    textOf: (topic: ShownSummary) => string,
    align: Column['align'] = 'right',
  ): Column => ({
    title,
    align,
    rank: 0,
    width: 0,
    cells: topics.map((topic) => ({ text: textOf(topic) })),
  })
  const columns = [
    column('token', ({ topic, symbol }) => symbol ?? printable(topic), 'left'),
    column('rows', ({ rows }) => numberText(rows)),
    column('from', ({ from }) => timeText(from), 'left'),
    column('to', ({ to }) => timeText(to), 'left'),
    ...causes.map((cause) => column(cause, ({ gaps }) => gapText(gaps[cause], numberText))),
    column('conn', ({ connections }) => numberText(connections)),
    column(
      'prices/s',
      ({ pricesPerSecond: { median, max } }) => `${numberText(median)}, max ${numberText(max)}`,
    ),
    column('silence', ({ longestSilenceMs }) => durationText(longestSilenceMs)),
  ]
  return drawTable(columns, Infinity, dim)
}

const causes: readonly GapCause[] = ['disconnected', 'stale', 'unrecorded']

const gapText = (
  { count, ms }: TopicSummary['gaps'][GapCause],
  numberText: (value: number) => string,
): string => (count === 0 ? '0' : `${numberText(count)} (${durationText(ms)})`)

const timeText = (at: number | undefined): string =>
  at === undefined ? '-' : `${new Date(at).toISOString().slice(0, 19)}Z`

/** A duration below a minute with a decimal. */
const durationText = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatSeconds(ms))
