import type { Command } from 'commander'
import { counted, formatLength } from '../../view/texts.js'
import type { GapCause } from '../../base/domain/past.js'
import { addressOf } from '../../base/domain/topic.js'
import { printable } from '../../base/errors/text.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { Inspection } from '../../backtest/recording/summary/inspection.js'
import type { TopicSummary } from '../../backtest/recording/summary/topic-summary.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { errorLine } from '../render/error-text.js'
import type { Io } from '../io.js'
import { timeWarnings } from '../render/time-warnings.js'
import { columnsOf, drawTable } from '../render/table.js'
import { coloursFor, numberFormat, outputJson, type Colours, type NumberFormat } from '../render/terminal.js'
import { namesFor, userTokens } from '../target/select-tokens.js'
import { defineCommand, many, tokensFlag } from './shared/parts.js'
import { parsedFlag, parseDuration, toggle, type Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams inspect market.*.ndjson.gz --max-gap 10s
      Fail if a topic has a gap of more than 10 seconds, or if a file is damaged.
  $ npx svc-streams inspect market.ndjson --json | jq -r 'select(.topic != null) | [.topic, .gaps.stale.count] | @tsv'
      Print the number of times at which each topic was stale.

The line of a topic has its symbol, if it is known, and contains:
  rows      prices and errors of the topic
  from, to  the times of its first and its last price, in UTC
  gaps      the times after the first price in which prices may be missing, by cause: their number, and their duration in all.
            disconnected: the recorder had no connection; stale: it had no current price; unrecorded: nothing was recorded
  conn      the connections over which prices came
  prices/s  prices per second of the time outside of gaps: median and maximum
  silence   the longest time without a price outside of gaps

Each file is read to its end, or to its first damaged line.

Exit codes: 0, or 1 if a file is damaged or cannot be read, or a gap is longer than --max-gap.`

const flags = {
  tokens: tokensFlag,
  maxGap: parsedFlag(
    '--max-gap <duration>',
    'fail if a gap, or an unusual silence, is longer: a number of seconds, or 30s, 15m, 1h, …',
    parseDuration,
  ),
  json: toggle('--json', 'print each topic and each damaged file as a JSON object, one per line'),
}

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/record.md',
  arguments: many('<file...>', 'recordings, plain or gzip'),
  flags,
  action: inspectRecordings,
})

async function inspectRecordings(
  io: Io,
  command: Command,
  { maxGap = Infinity, json = false }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  const user = userTokens(command, io.env)
  const inspection = new Inspection()
  await inspection.read(openableSources(nodePlatform, files))
  const { symbol } = namesFor({ ownTokens: [], ...user })
  const topics = inspection
    .summaries()
    .map(({ topic, ...others }) => ({ topic, symbol: symbol(addressOf(topic)), ...others }))
  const { damages } = inspection
  const printLine = (line: string) => void io.stdout.write(`${line}\n`)
  if (json) {
    for (const topic of topics) printLine(outputJson(topic))
    for (const { source, line, message } of damages) printLine(outputJson({ source, line, message }))
  } else {
    if (topics.length > 0)
      tableOf(topics, coloursFor(io.stdout, io.env), numberFormat(io.stdout)).forEach(printLine)
    topics.flatMap(assumptionLines).forEach(printLine)
    if (inspection.invalidRows > 0)
      printLine(`${counted(inspection.invalidRows, 'row')} of the imported files were invalid`)
    for (const topic of topics)
      for (const warning of timeWarnings(topic))
        io.stderr.write(`warning: ${printable(topic.topic)}: ${warning}\n`)
    for (const damage of damages) io.stderr.write(`${errorLine(damage)}\n`)
  }
  const problems = [
    ...(damages.length === 0
      ? []
      : [`${damages.length} of ${counted(files.length, 'file')} cannot be read to the end`]),
    ...topics.flatMap(({ topic }) => {
      const longest = inspection
        .missingTimes(topic)
        .reduce((most, { from, to }) => Math.max(most, to - from), 0)
      return longest > maxGap ? [`${topic} has a gap of ${formatLength(longest)}`] : []
    }),
  ]
  if (problems.length > 0) throw new Error(problems.join('; '))
}

interface ShownSummary extends TopicSummary {
  readonly symbol?: string | undefined
}

const assumptionLines = ({ topic, assumedDepth, candles }: ShownSummary): readonly string[] =>
  [
    ...(assumedDepth === undefined
      ? []
      : [
          `${topic}: its depth is assumed, not recorded: ${assumedDepth} tokens on both sides with each price`,
        ]),
    ...(candles === undefined
      ? []
      : [`${topic}: its prices are the opens and the closes of candles of ${candles}`]),
  ].map(printable)

const tableOf = (
  topics: readonly ShownSummary[],
  { dim }: Colours,
  grouped: NumberFormat,
): readonly string[] => {
  const numberText = (value: number) => grouped(String(value))
  const columnOf = columnsOf(topics)
  const column = (
    title: string,
    textOf: (topic: ShownSummary) => string,
    align: 'left' | 'right' = 'right',
  ) => columnOf({ title, align }, (topic) => ({ text: textOf(topic) }))
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
    column('silence', ({ longestSilenceMs }) => formatLength(longestSilenceMs)),
  ]
  return drawTable(columns, Infinity, dim)
}

const causes: readonly GapCause[] = ['disconnected', 'stale', 'unrecorded']

const gapText = (
  { count, ms }: TopicSummary['gaps'][GapCause],
  numberText: (value: number) => string,
): string => (count === 0 ? '0' : `${numberText(count)} (${formatLength(ms)})`)

const timeText = (at: number | undefined): string =>
  at === undefined ? '-' : `${new Date(at).toISOString().slice(0, 19)}Z`
