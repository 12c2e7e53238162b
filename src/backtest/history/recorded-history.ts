import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { parseRange, pricesFrom$, type CoveredTopic, type History } from './history.js'
import { isAddress, type Topic } from '../../base/domain/topic.js'
import type { RecordingError } from '../../base/errors/model.js'
import { rxClock } from '../../base/time/clock.js'
import { emptyRecording } from '../recording/codec/errors.js'
import { readSet } from '../recording/read/merge.js'
import { parseRotatedPath } from '../recording/codec/rotated-path.js'
import type { OpenableSource } from '../recording/read/openable-source.js'
import { readPast, type PastRange, type StartedFile } from './past-reading.js'

export const recordedHistory = (
  sources: readonly OpenableSource[],
  playedHeaders?: PastRange['playedHeaders'],
): History => ({
  prices$: pricesFrom$(async (topic, { from, to = Math.floor(rxClock.wallClock()) + 1 }, emit, closing) => {
    const range = parseRange(from, to)
    if (isLeft(range)) return range
    const ordered = await inOrder(sources)
    if (isLeft(ordered)) return ordered
    return readPast({ topic, range: range.right, emit, closing, playedHeaders }, ordered.right)
  }),
  topics: () => () => coveredTopics(sources),
})

const inOrder = async (
  sources: readonly OpenableSource[],
): Promise<Either<RecordingError, readonly StartedFile[]>> => {
  if (sources.length === 0) return left(emptyRecording('the recording'))
  const started: StartedFile[] = []
  for (const file of sources) {
    const named = parseRotatedPath(file.name)?.at
    const start = named === undefined ? await file.start() : right(named)
    if (isLeft(start)) return start
    started.push({ file, start: start.right })
  }
  return right(started.sort((a, b) => a.start - b.start))
}

/** The topics, with the times of their first and last rows. Reads all lines, because any row may have another topic. */
const coveredTopics = async (
  sources: readonly OpenableSource[],
): Promise<Either<RecordingError, readonly CoveredTopic[]>> => {
  const topics = new Map<string, { readonly topic: Topic; from: number; to: number }>()
  for await (const entries of readSet(sources, { allowsCut: true })) {
    if (isLeft(entries)) return entries
    for (const { line } of entries.right) {
      const topic = line._tag === 'Price' ? line.topic : line._tag === 'End' ? line.of : undefined
      if (topic === undefined || isAddress(topic)) continue
      const { at } = line
      const key = topic.toLowerCase()
      const known = topics.get(key) ?? { topic, from: at, to: at }
      known.from = Math.min(known.from, at)
      known.to = Math.max(known.to, at)
      topics.set(key, known)
    }
  }
  return right([...topics.values()])
}
