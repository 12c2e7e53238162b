import { isLeft, left, map } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import type { CoveredTopic, History } from '../../client/history.js'
import { rxClock } from '../../time/rx-clock.js'
import { recordedHistory } from '../past/recorded-history.js'
import type { Playback } from './playback.js'

/** The client of a strategy in a replay. */
export interface StrategyClient extends Client {
  /**
   * The rows before the current time of the replay, those before its `from` included. The replay stands still while they are
   * read. Reads the recordings again: a source that can be read only once is a `RecordingError`.
   */
  readonly history: History
}

/** The history of a replay. */
export const replayHistory = (playback: Playback): History => {
  /** A timer of a strategy may fire before the line is emitted. */
  const now = (): number => Math.min(playback.recordedAt, rxClock.wallClock())
  const past = recordedHistory(playback.sources, now)
  return {
    prices$: (topic, range) =>
      new Observable((subscriber) => {
        const read = (): void => {
          subscriber.add(playback.hold())
          subscriber.add(past.prices$(topic, range).subscribe(subscriber))
        }
        if (playback.hasTime) return read()
        void playback.header().then((header) => {
          if (!isLeft(header)) return read()
          if (header.left._tag === 'RecordingError') subscriber.next(left(header.left))
          subscriber.complete()
        })
      }),
    topics: () => async () => {
      if (!playback.hasTime) await playback.header()
      const release = playback.hold()
      const time = now()
      const topics = await past.topics()()
      release()
      return map(topicsBefore(time))(topics)
    },
  }
}

const topicsBefore =
  (now: number) =>
  (topics: readonly CoveredTopic[]): readonly CoveredTopic[] =>
    topics.filter(({ from }) => from < now).map((topic) => ({ ...topic, to: Math.min(topic.to, now) }))
