import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { pricesFrom$, type History, type HistoryRange } from './history.js'
import { parseRange } from './range.js'
import type { InvalidRange } from '../../base/errors/model.js'
import { rxClock } from '../../base/time/rx-clock.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import { RecordedFile } from '../recording/read/recorded-file.js'
import type { OpenableSource } from '../recording/read/source.js'
import { coveredTopics } from './covered-topics.js'
import { filesInOrder, PastReading, type PastRange } from './past-reading.js'

/** The present of a replay: later rows do not exist yet. */
export interface Present extends Pick<Required<PastRange>, 'isPlayed'> {
  /** In ms since the Unix epoch. */
  readonly now: () => number
}

/** The history in recordings of the same topics. */
export const recordedHistory = (sources: readonly OpenableSource[], present?: Present): History => {
  const files = sources.map((source) => new RecordedFile(source))
  const replayed = present === undefined ? {} : { isPlayed: present.isPlayed }
  return {
    prices$: pricesFrom$({
      parseTimes: (range) => parseTimes(range, present?.now()),
      read: async (topic, range, emit, closing) => {
        const ordered = await filesInOrder(files)
        if (isLeft(ordered)) return ordered
        return new PastReading({ topic, range, emit, closing, ...replayed }).read(ordered.right)
      },
    }),
    topics: () => () => coveredTopics(files),
  }
}

const parseTimes = ({ from, to }: HistoryRange, end: number | undefined): Either<InvalidRange, TimeRange> => {
  const latest = end ?? Math.floor(rxClock.wallClock()) + 1
  return parseRange(from, to === undefined || (end !== undefined && to > end) ? latest : to)
}
