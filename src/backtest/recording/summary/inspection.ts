import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, type TimeRange } from '../codec/timeline.js'
import { readSet, type SetReading } from '../read/merge.js'
import type { Recorder } from '../read/read-entries.js'
import type { OpenableSource } from '../read/source.js'
import type { MissingTime } from './missing-times.js'
import { TopicSummariser, type TopicSummary } from './topic-summary.js'

export class Inspection {
  readonly damages: RecordingError[] = []
  /** The number of rows that `import` left out. */
  invalidRows = 0
  private readonly topics = new Map<string, TopicSummariser>()
  /** The time of the last row, in ms since the Unix epoch. */
  private lastAt = -Infinity
  /** The latest time of all rows so far, in ms since the Unix epoch. */
  private end = -Infinity
  /** The latest start of a recording, in ms since the Unix epoch. */
  private lastStart = -Infinity

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

  summaries(): readonly TopicSummary[] {
    return [...this.topics.values()].map((topic) => topic.summary(this.lastStart, this.end))
  }

  missingTimes(topic: string): readonly MissingTime[] {
    return this.topics.get(topic.toLowerCase())?.missing.list() ?? []
  }

  private onLine(line: RecordingHeader | Row, recorder: Recorder): void {
    if (line._tag === 'Recording') return this.onHeader(line, recorder)
    const isEarlier = line.at < this.lastAt
    this.lastAt = line.at
    this.end = Math.max(this.end, line.at)
    recorder.rowAt = line.at
    if (line._tag === 'Price') {
      const topic = this.topicOf(line.topic)
      topic.owner = recorder
      topic.onLine(line, isEarlier)
    } else if (line._tag === 'Status') {
      for (const topic of this.topics.values()) if (topic.owner === recorder) topic.onLine(line)
    } else if (line._tag === 'End') this.topics.get(line.of.toLowerCase())?.onLine(line)
  }

  /** A recorder may write several recordings. A topic that is not in one of them is not recorded meanwhile. */
  private onHeader(header: RecordingHeader, recorder: Recorder): void {
    this.lastStart = Math.max(this.lastStart, header.at)
    this.invalidRows += header.invalidRows ?? 0
    const started = header.topics.map((name) => this.topicOf(name))
    for (const topic of this.topics.values()) {
      const isStarted = started.includes(topic) && topic.owner?.isOver !== false
      if (!isStarted && topic.owner !== recorder) continue
      topic.passTime()
      topic.owner = recorder
      topic.onLine(header)
    }
  }

  private topicOf(topic: Topic): TopicSummariser {
    // Most names have no capitals.
    const known = this.topics.get(topic) ?? this.topics.get(topic.toLowerCase())
    if (known !== undefined) return known
    const added = new TopicSummariser(topic)
    this.topics.set(topic.toLowerCase(), added)
    return added
  }
}
