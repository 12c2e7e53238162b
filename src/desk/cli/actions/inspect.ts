import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { formatSeconds } from '../../display/texts.js'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { GapCause } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { printable } from '../../../base/errors/text.js'
import type { RecordingHeader, Row } from '../../../backtest/recording/format/row.js'
import { nodePlatform } from '../../../backtest/recording/on-node.js'
import { RecordedFile } from '../../../backtest/recording/past/recorded-file.js'
import { TopicSummariser, type TopicSummary } from '../../../backtest/recording/past/topic-summary.js'
import { openableSource } from '../../../backtest/recording/read/source.js'
import { outputJson } from '../output/json.js'
import { errorLine } from '../output/error-text.js'
import { print, type Io } from '../io.js'
import { timeWarnings } from './replay.js'
import { drawTable, type Column } from '../output/table.js'
import { coloursFor, type Colours } from '../output/terminal.js'

export interface InspectFlags {
  /** In ms. */
  readonly maxGap?: number
  readonly json?: boolean
}

/** Prints a summary of each topic. Throws if a file is damaged, or a gap is longer than allowed. */
export const inspectRecordings = async (
  io: Io,
  files: readonly string[],
  { maxGap = Infinity, json = false }: InspectFlags,
): Promise<void> => {
  const inspection = new Inspection()
  for (const started of await inspection.inOrder(files)) await inspection.read(started)
  const topics = inspection.summaries()
  const { damages } = inspection
  if (json) {
    const objects = [...topics, ...damages.map(({ source, line, message }) => ({ source, line, message }))]
    await print(objects.map((each) => `${outputJson(each)}\n`).join(''), io.stdout)
  } else {
    await print(
      topics.length === 0 ? '' : `${tableOf(topics, coloursFor(io.stdout, io.env)).join('\n')}\n`,
      io.stdout,
    )
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

/** A file, and its start in ms since the Unix epoch. */
interface StartedFile {
  readonly file: RecordedFile
  readonly start: number
}

/** The lines of several recordings. Of each topic, those that contain it are one recording. */
class Inspection {
  readonly damages: RecordingError[] = []
  private readonly topics = new Map<string, TopicSummariser>()
  /** By each spelling of a topic. */
  private readonly bySpelling = new Map<string, TopicSummariser>()
  /** The topics of the current file. */
  private readonly current = new Set<TopicSummariser>()
  /** Of the last row of the current file, in ms since the Unix epoch. */
  private rowAt: number | undefined
  /** The latest time of all rows so far, in ms since the Unix epoch. */
  private end = -Infinity
  /** The start of the last file, in ms since the Unix epoch. */
  private lastStart = -Infinity

  /** The files that have a header, in the order of their starts. */
  async inOrder(paths: readonly string[]): Promise<readonly StartedFile[]> {
    const started: StartedFile[] = []
    for (const path of paths) {
      const file = new RecordedFile(openableSource(nodePlatform, path))
      const start = await file.start()
      if (isLeft(start)) this.damages.push(start.left)
      else started.push({ file, start: start.right })
    }
    return started.sort((a, b) => a.start - b.start)
  }

  async read({ file, start }: StartedFile): Promise<void> {
    this.current.clear()
    this.rowAt = undefined
    this.lastStart = start
    for await (const entries of file.entries(0, new Subscription(), false)) {
      if (isLeft(entries)) this.damages.push(entries.left)
      else for (const { line } of entries.right) this.onLine(line)
    }
    this.endFile()
  }

  private endFile(): void {
    const { rowAt } = this
    if (rowAt !== undefined) for (const topic of this.current) topic.passTime(rowAt)
  }

  summaries(): readonly TopicSummary[] {
    return [...this.topics.values()].map((topic) => topic.summary(this.lastStart, this.end))
  }

  private onLine(line: RecordingHeader | Row): void {
    switch (line._tag) {
      case 'Recording':
        return this.onHeader(line)
      case 'Price': {
        const isEarlier = this.rowAt !== undefined && line.at < this.rowAt
        this.passTime(line)
        return this.summariserOf(line.topic).onLine(line, this.rowAt, isEarlier)
      }
      case 'Status':
        this.passTime(line)
        for (const topic of this.current) topic.onLine(line, this.rowAt)
        return
      case 'End':
        this.passTime(line)
        return this.bySpelling.get(line.of)?.onLine(line, this.rowAt)
      case 'Depth':
      case 'Uncorrelated':
        return this.passTime(line)
      default:
        return assertNever(line)
    }
  }

  /** A file may contain several recordings. A topic that is not in one of them is not recorded meanwhile. */
  private onHeader(header: RecordingHeader): void {
    for (const topic of header.topics) this.current.add(this.summariserOf(topic))
    for (const topic of this.current) topic.onLine(header, this.rowAt)
  }

  private passTime({ at }: Row): void {
    this.rowAt = at
    this.end = Math.max(this.end, at)
  }

  private summariserOf(topic: Topic): TopicSummariser {
    const known = this.bySpelling.get(topic)
    if (known !== undefined) return known
    const key = topic.toLowerCase()
    const summariser = this.topics.get(key) ?? new TopicSummariser(topic)
    this.topics.set(key, summariser)
    this.bySpelling.set(topic, summariser)
    return summariser
  }
}

const longestGap = ({ gaps }: TopicSummary): number =>
  Math.max(...Object.values(gaps).map(({ longestMs }) => longestMs))

const tableOf = (topics: readonly TopicSummary[], { dim }: Colours): readonly string[] => {
  const column = (
    title: string,
    textOf: (topic: TopicSummary) => string,
    align: Column['align'] = 'right',
  ): Column => ({
    title,
    align,
    rank: 0,
    width: 0,
    cells: topics.map((topic) => ({ text: textOf(topic) })),
  })
  const columns = [
    column('topic', ({ topic }) => printable(topic), 'left'),
    column('rows', ({ rows }) => String(rows)),
    column('from', ({ from }) => timeText(from), 'left'),
    column('to', ({ to }) => timeText(to), 'left'),
    ...causes.map((cause) => column(cause, ({ gaps }) => gapText(gaps[cause]))),
    column('conn', ({ connections }) => String(connections)),
    column('prices/s', ({ pricesPerSecond: { median, max } }) => `${median}, max ${max}`),
    column('silence', ({ longestSilenceMs }) => durationText(longestSilenceMs)),
  ]
  return drawTable(columns, Infinity, dim)
}

const causes: readonly GapCause[] = ['disconnected', 'stale', 'unrecorded']

const gapText = ({ count, ms }: TopicSummary['gaps'][GapCause]): string =>
  count === 0 ? '0' : `${count} (${durationText(ms)})`

const timeText = (at: number | undefined): string =>
  at === undefined ? '-' : `${new Date(at).toISOString().slice(0, 19)}Z`

/** A duration below a minute with a decimal. */
const durationText = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatSeconds(ms))
