import { isLeft } from 'fp-ts/lib/Either.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { RecordingError } from '../../../base/errors/model.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, type TimeRange } from '../codec/timeline.js'
import { readSet } from '../read/merge.js'
import type { EntryOrigin } from '../read/read-entries.js'
import type { OpenableSource } from '../read/openable-source.js'
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
  end = -Infinity
  /** The latest start of a recording, in ms since the Unix epoch. */
  private lastStart = -Infinity

  async read(sources: readonly OpenableSource[], range: TimeRange = allTimes): Promise<void> {
    const leavesOut = (error: RecordingError): boolean => this.damages.push(error) > 0
    for await (const entries of readSet(sources, { range, leavesOut })) {
      if (isLeft(entries)) this.damages.push(entries.left)
      else for (const { line, origin } of entries.right) if (line.at < range.to) this.onLine(line, origin)
    }
  }

  summaries(): readonly TopicSummary[] {
    return [...this.topics.values()].map((topic) => topic.summary(this.lastStart, this.end))
  }

  missingTimes(topic: string, end?: number): readonly MissingTime[] {
    return this.topics.get(topic.toLowerCase())?.missing.list(end) ?? []
  }

  private onLine(line: RecordingHeader | Row, origin: EntryOrigin): void {
    if (line._tag === 'Recording') this.onHeader(line, origin)
    else this.onRow(line, origin)
    origin.recorder.passTime(line)
  }

  private onHeader(header: RecordingHeader, origin: EntryOrigin): void {
    this.lastStart = Math.max(this.lastStart, header.at)
    this.invalidRows += header.invalidRows ?? 0
    for (const name of header.topics) this.topicOf(name)
    for (const topic of this.topics.values()) topic.onLine(header, origin)
  }

  private onRow(row: Row, origin: EntryOrigin): void {
    const isEarlier = row.at < this.lastAt
    this.lastAt = row.at
    this.end = Math.max(this.end, row.at)
    if (isEarlier) for (const topic of this.topics.values()) topic.onStep(origin.recorder, row.at)
    if (row._tag === 'Price') this.topicOf(row.topic).onLine(row, origin, isEarlier)
    else if (row._tag === 'Status') for (const topic of this.topics.values()) topic.onLine(row, origin)
    else if (row._tag === 'End') this.topics.get(row.of.toLowerCase())?.onLine(row, origin)
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
