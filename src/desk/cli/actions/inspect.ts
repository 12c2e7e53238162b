import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { formatSeconds } from '../../display/texts.js'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { GapCause } from '../../../base/domain/past.js'
import { addressOf, type Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { printable } from '../../../base/errors/text.js'
import type { RecordingHeader, Row } from '../../../backtest/recording/format/row.js'
import { allTimes } from '../../../backtest/recording/format/timeline.js'
import { nodePlatform } from '../../../backtest/recording/on-node.js'
import { TopicSummariser, type TopicSummary } from '../../../backtest/recording/past/topic-summary.js'
import { readSet, type SetReading } from '../../../backtest/recording/read/recording-set.js'
import type { Sequence } from '../../../backtest/recording/read/sequence.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import { recordedMarket } from '../../../simulator/index.js'
import { outputJson } from '../output/json.js'
import { errorLine } from '../output/error-text.js'
import { print, type Io } from '../io.js'
import { timeWarnings } from './replay.js'
import { drawTable, type Column } from '../output/table.js'
import { coloursFor, numberFormat, type Colours, type NumberFormat } from '../output/terminal.js'
import { namedTokens, userTokens } from '../tokens/select-tokens.js'
import { createTokenNames } from '../tokens/token-names.js'

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
  await inspection.read(files)
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
    for (const { topic, assumedDepth } of topics)
      if (assumedDepth !== undefined)
        await print(`${printable(topic)}: ${assumedDepthText(assumedDepth)}\n`, io.stdout)
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

/** A topic, and the recorder whose rows are counted. */
interface InspectedTopic {
  readonly summary: TopicSummariser
  owner: Sequence | undefined
  assumedDepth?: string | undefined
}

interface InspectedSummary extends TopicSummary {
  /** The quantity of each depth, in tokens, if it is assumed. */
  readonly assumedDepth?: string
  /** `undefined` without a symbol. */
  readonly symbol?: string | undefined
}

const assumedDepthText = (quantity: string): string =>
  `its depth is assumed, not recorded: ${printable(quantity)} tokens on both sides with each price`

/** The lines of several recordings. */
class Inspection {
  readonly damages: RecordingError[] = []
  private readonly topics = new Map<string, InspectedTopic>()
  /** By each spelling of a topic. */
  private readonly bySpelling = new Map<string, InspectedTopic>()
  /** The time of the last row of each recorder, in ms since the Unix epoch. */
  private readonly rowAt = new Map<Sequence, number>()
  /** The time of the last row, in ms since the Unix epoch. */
  private lastAt = -Infinity
  /** The latest time of all rows so far, in ms since the Unix epoch. */
  private end = -Infinity
  /** The latest start of a recording, in ms since the Unix epoch. */
  private lastStart = -Infinity

  async read(paths: readonly string[]): Promise<void> {
    const reading: SetReading = {
      range: allTimes,
      closing: new Subscription(),
      onDamage: (error) => this.damages.push(error),
      onOverlap: (row) => {
        if (row._tag === 'Price') this.topicOf(row.topic).summary.overlappingRows++
      },
    }
    for await (const entries of readSet(openableSources(nodePlatform, paths), reading)) {
      if (isLeft(entries)) this.damages.push(entries.left)
      else for (const { line, origin } of entries.right) this.onLine(line, origin.sequence)
    }
  }

  summaries(): readonly InspectedSummary[] {
    return [...this.topics.values()].map((topic) => {
      this.passTime(topic)
      const summary = topic.summary.summary(this.lastStart, this.end)
      return topic.assumedDepth === undefined ? summary : { ...summary, assumedDepth: topic.assumedDepth }
    })
  }

  private onLine(line: RecordingHeader | Row, sequence: Sequence): void {
    if (line._tag === 'Recording') return this.onHeader(line, sequence)
    const isEarlier = line.at < this.lastAt
    this.lastAt = line.at
    this.end = Math.max(this.end, line.at)
    this.rowAt.set(sequence, line.at)
    switch (line._tag) {
      case 'Price': {
        const topic = this.topicOf(line.topic)
        topic.owner = sequence
        return topic.summary.onLine(line, isEarlier)
      }
      case 'Status':
        for (const topic of this.topics.values()) if (topic.owner === sequence) topic.summary.onLine(line)
        return
      case 'End':
        return this.bySpelling.get(line.of)?.summary.onLine(line)
      case 'Depth':
      case 'Uncorrelated':
        return
      default:
        return assertNever(line)
    }
  }

  /** A recorder may write several recordings. A topic that is not in one of them is not recorded meanwhile. */
  private onHeader(header: RecordingHeader, sequence: Sequence): void {
    this.lastStart = Math.max(this.lastStart, header.at)
    const started = header.topics.map((name) => this.topicOf(name))
    for (const topic of started) topic.assumedDepth ??= header.assumedDepth
    for (const topic of this.topics.values()) {
      const isStarted = started.includes(topic) && sequence.claim(topic.summary.topic, header.at)
      if (!isStarted && topic.owner !== sequence) continue
      this.passTime(topic)
      topic.owner = sequence
      topic.summary.onLine(header)
    }
  }

  /** Any row of a recorder shows that its topics were recorded at that time. */
  private passTime({ summary, owner }: InspectedTopic): void {
    const at = owner && this.rowAt.get(owner)
    if (at !== undefined) summary.passTime(at)
  }

  private topicOf(topic: Topic): InspectedTopic {
    const known = this.bySpelling.get(topic)
    if (known !== undefined) return known
    const key = topic.toLowerCase()
    const inspected = this.topics.get(key) ?? { summary: new TopicSummariser(topic), owner: undefined }
    this.topics.set(key, inspected)
    this.bySpelling.set(topic, inspected)
    return inspected
  }
}

const longestGap = ({ gaps }: TopicSummary): number =>
  Math.max(...Object.values(gaps).map(({ longestMs }) => longestMs))

const tableOf = (
  topics: readonly InspectedSummary[],
  { dim }: Colours,
  grouped: NumberFormat,
): readonly string[] => {
  const numberText = (value: number) => grouped(String(value))
  const column = (
    title: string,
    textOf: (topic: InspectedSummary) => string,
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
