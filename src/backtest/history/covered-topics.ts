import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { CoveredTopic } from './history.js'
import type { Topic } from '../../base/domain/topic.js'
import type { RecordingError } from '../../base/errors/model.js'
import type { RecordingHeader, Row } from '../recording/codec/row.js'
import { filesInOrder } from './past-reading.js'
import type { RecordedFile } from '../recording/read/recorded-file.js'

/** The topics of recordings. Reads all lines, because any header or row may have another topic. */
export const coveredTopics = async (
  files: readonly RecordedFile[],
): Promise<Either<RecordingError, readonly CoveredTopic[]>> => {
  const ordered = await filesInOrder(files)
  if (isLeft(ordered)) return ordered
  const topics = new TopicTimes()
  for (const { file } of ordered.right) {
    for await (const entries of file.entries(new Subscription())) {
      if (isLeft(entries)) return entries
      for (const { line } of entries.right) topics.onLine(line)
    }
    topics.endRecording()
  }
  return right([...topics.covered.values()])
}

/** The times of topics. A topic is recorded from its header, or from a row that no header announces, to the next header. */
class TopicTimes {
  /** In the order in which they were recorded. Topics that differ only in case are one. */
  readonly covered = new Map<string, CoveredTopic>()
  /** The topics since the last header, with their starts. The start of a header may be unknown. */
  private readonly starts = new Map<Topic, number | undefined>()
  /** The latest time of the rows since the last header, in ms since the Unix epoch. */
  private latest = -Infinity

  onLine(line: RecordingHeader | Row): void {
    if (line._tag === 'Recording') {
      this.endRecording()
      for (const topic of line.topics) this.starts.set(topic, line.at === 0 ? undefined : line.at)
      return
    }
    if (this.latest === -Infinity)
      for (const [topic, start] of this.starts) this.starts.set(topic, start ?? line.at)
    if (line.at > this.latest) this.latest = line.at
    if (line._tag === 'Price' && !this.starts.has(line.topic)) this.starts.set(line.topic, line.at)
  }

  endRecording(): void {
    for (const [topic, from = 0] of this.starts) {
      const key = topic.toLowerCase()
      const to = Math.max(from, this.latest)
      const known = this.covered.get(key) ?? { topic, from, to }
      this.covered.set(key, { ...known, from: Math.min(known.from, from), to: Math.max(known.to, to) })
    }
    this.starts.clear()
    this.latest = -Infinity
  }
}
