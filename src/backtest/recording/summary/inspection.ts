import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { PastEvent } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, type TimeRange } from '../codec/timeline.js'
import { readSet, type SetReading } from '../read/merge.js'
import type { Recorder } from '../read/read-entries.js'
import type { OpenableSource } from '../read/source.js'
import { TopicSummariser, type TopicSummary } from './topic-summary.js'

export interface InspectedSummary extends TopicSummary {
  /** The quantity of each depth, in tokens, if it is assumed. */
  readonly assumedDepth?: string
  /** The length of the candles whose opens and closes are its prices. */
  readonly candles?: string
}

/** A topic, and the recorder whose rows are counted. */
interface InspectedTopic {
  readonly summary: TopicSummariser
  owner: Recorder | undefined
  assumedDepth?: string | undefined
  candles?: string | undefined
}

/** Summarises the topics of several recordings. */
export class Inspection {
  readonly damages: RecordingError[] = []
  private readonly topics = new Map<string, InspectedTopic>()
  /** By each spelling of a topic. */
  private readonly bySpelling = new Map<string, InspectedTopic>()
  /** The time of the last row of each recorder, in ms since the Unix epoch. */
  private readonly rowAt = new Map<Recorder, number>()
  /** The time of the last row, in ms since the Unix epoch. */
  private lastAt = -Infinity
  /** The latest time of all rows so far, in ms since the Unix epoch. */
  private end = -Infinity
  /** The latest start of a recording, in ms since the Unix epoch. */
  private lastStart = -Infinity
  /** The number of rows that `import` left out. */
  invalidRows = 0

  /** `watch`: returns what is called for each event of a topic. */
  constructor(private readonly watch: (topic: Topic) => (event: PastEvent) => void = () => () => undefined) {}

  async read(sources: readonly OpenableSource[], range: TimeRange = allTimes): Promise<void> {
    const reading: SetReading = {
      range,
      closing: new Subscription(),
      onDamage: (error) => this.damages.push(error),
    }
    for await (const entries of readSet(sources, reading)) {
      if (isLeft(entries)) this.damages.push(entries.left)
      else for (const { line, origin } of entries.right) this.onLine(line, origin.recorder)
    }
  }

  summaries(): readonly InspectedSummary[] {
    return [...this.topics.values()].map((topic) => {
      this.passTime(topic)
      const summary = topic.summary.summary(this.lastStart, this.end)
      const { assumedDepth, candles } = topic
      return {
        ...summary,
        ...(assumedDepth === undefined ? {} : { assumedDepth }),
        ...(candles === undefined ? {} : { candles }),
      }
    })
  }

  private onLine(line: RecordingHeader | Row, recorder: Recorder): void {
    if (line._tag === 'Recording') return this.onHeader(line, recorder)
    const isEarlier = line.at < this.lastAt
    this.lastAt = line.at
    this.end = Math.max(this.end, line.at)
    this.rowAt.set(recorder, line.at)
    switch (line._tag) {
      case 'Price': {
        const topic = this.topicOf(line.topic)
        topic.owner = recorder
        return topic.summary.onLine(line, isEarlier)
      }
      case 'Status':
        for (const topic of this.topics.values()) if (topic.owner === recorder) topic.summary.onLine(line)
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
  private onHeader(header: RecordingHeader, recorder: Recorder): void {
    this.lastStart = Math.max(this.lastStart, header.at)
    this.invalidRows += header.invalidRows ?? 0
    const started = header.topics.map((name) => this.topicOf(name))
    for (const topic of started) {
      topic.assumedDepth ??= header.assumedDepth
      topic.candles ??= header.candles
    }
    for (const topic of this.topics.values()) {
      const isStarted = started.includes(topic) && topic.owner?.isOver !== false
      if (!isStarted && topic.owner !== recorder) continue
      this.passTime(topic)
      topic.owner = recorder
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
    const inspected = this.topics.get(key) ?? {
      summary: new TopicSummariser(topic, this.watch(topic)),
      owner: undefined,
    }
    this.topics.set(key, inspected)
    this.bySpelling.set(topic, inspected)
    return inspected
  }
}
