import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { CoveredTopic } from './history.js'
import type { Topic } from '../../base/domain/topic.js'
import type { RecordingError } from '../../base/errors/model.js'
import type { RecordingHeader, Row } from '../recording/codec/row.js'
import { filesInOrder } from './past-reading.js'
import type { RecordedFile } from '../recording/read/recorded-file.js'

/**
 * The topics of recordings. Reads all lines, because any header or row may have another topic. A file is read again when it
 * has grown.
 */
export class CoveredTopics {
  private readonly known = new Map<
    RecordedFile,
    { readonly size: number; readonly topics: readonly CoveredTopic[] }
  >()

  constructor(private readonly files: readonly RecordedFile[]) {}

  async read(): Promise<Either<RecordingError, readonly CoveredTopic[]>> {
    const ordered = await filesInOrder(this.files)
    if (isLeft(ordered)) return ordered
    const all = new TopicTimes()
    for (const { file } of ordered.right) {
      const topics = await this.topicsOf(file)
      if (isLeft(topics)) return topics
      for (const topic of topics.right) all.add(topic)
    }
    return right(all.topics)
  }

  private async topicsOf(file: RecordedFile): Promise<Either<RecordingError, readonly CoveredTopic[]>> {
    const size = (await file.source.file?.size().catch(() => undefined)) ?? 0
    const known = this.known.get(file)
    if (known?.size === size) return right(known.topics)
    const lines = new RecordingTopics()
    for await (const entries of file.entries(new Subscription())) {
      if (isLeft(entries)) return entries
      for (const { line } of entries.right) lines.onLine(line)
    }
    const { topics } = lines.end()
    this.known.set(file, { size, topics })
    return right(topics)
  }
}

/** The times of topics, in the order in which they were added. Topics that differ only in case are one. */
class TopicTimes {
  private readonly byKey = new Map<string, CoveredTopic>()

  get topics(): readonly CoveredTopic[] {
    return [...this.byKey.values()]
  }

  add({ topic, from, to }: CoveredTopic): void {
    const key = topic.toLowerCase()
    const known = this.byKey.get(key)
    if (known === undefined) this.byKey.set(key, { topic, from, to })
    else this.byKey.set(key, { ...known, from: Math.min(known.from, from), to: Math.max(known.to, to) })
  }
}

/** The topics of lines. A topic is recorded from its header, or from a row that no header announces, to the next header. */
class RecordingTopics {
  private readonly times = new TopicTimes()
  /** The topics since the last header, with their starts. The start of a header may be unknown. */
  private readonly starts = new Map<Topic, number | undefined>()
  /** The latest time of the rows since the last header, in ms since the Unix epoch. */
  private latest = -Infinity

  onLine(line: RecordingHeader | Row): void {
    if (line._tag === 'Recording') {
      this.end()
      for (const topic of line.topics) this.starts.set(topic, line.at === 0 ? undefined : line.at)
      return
    }
    if (this.latest === -Infinity)
      for (const [topic, start] of this.starts) this.starts.set(topic, start ?? line.at)
    if (line.at > this.latest) this.latest = line.at
    if (line._tag === 'Price' && !this.starts.has(line.topic)) this.starts.set(line.topic, line.at)
  }

  end(): TopicTimes {
    for (const [topic, from = 0] of this.starts)
      this.times.add({ topic, from, to: Math.max(from, this.latest) })
    this.starts.clear()
    this.latest = -Infinity
    return this.times
  }
}
