import { isLeft, left, map } from 'fp-ts/lib/Either.js'
import { defer, Observable } from 'rxjs'
import { clientFromStreams, type ClientStreams } from '../../testing/client-from-streams.js'
import type { Client } from '../../client/client.js'
import type { CoveredTopic, History } from '../history/history.js'
import type { Environment } from '../../base/domain/environment.js'
import { rxClock } from '../../base/time/clock.js'
import type { Stream } from '../../base/time/stream.js'
import { recordedHistory } from '../history/recorded-history.js'
import type { Playback } from './playback.js'

/** The client of a strategy in a replay. */
export interface StrategyClient extends Client {
  /**
   * The rows before the current time of the replay, including rows before its `from`. The replay pauses while they are
   * read. Reads the recordings again: a source that can be read only once is a `RecordingError`.
   */
  readonly history: History
}

interface StrategyClientOptions {
  /** Called once, when the client is closed. Default: stops the replay. Must call `completeStreams`. */
  readonly onClose?: (completeStreams: () => void) => void
  /** The rows before and after those of the replay. Default: the sources of the playback. */
  readonly past?: History | undefined
  /** Streams in place of those of the playback. */
  readonly streams?: Partial<ClientStreams>
}

export const createStrategyClient = (
  playback: Playback,
  environment: Environment,
  {
    onClose = (completeStreams) => playback.close(completeStreams),
    past,
    streams: given,
  }: StrategyClientOptions = {},
): StrategyClient => {
  const { streams } = playback
  const client = clientFromStreams({
    environment,
    status$: streams.status$,
    currentStatus: () => streams.status,
    errors$: streams.errors$,
    price$: (topic) => streams.price$(topic),
    depth$: (mint) => defer(() => streams.depths.stream(mint).event$),
    lastPrice: (topic) => streams.prices.stream(topic).retained.lastPrice,
    lastDepth: (mint) => streams.depths.stream(mint).retained.lastDepth,
    onClose,
    ...given,
  })
  return { ...client, history: replayHistory(playback, past) }
}

/** The client at the time of each call. Each of its streams is opened, and changed, by `stream$`. */
export const withStreams = (
  client: () => StrategyClient,
  stream$: <A>(source$: () => Observable<A>) => Stream<A>,
): StrategyClient => {
  const close = (): Promise<void> => client().close()
  return {
    chainId: client().chainId,
    status$: stream$(() => client().status$),
    errors$: stream$(() => client().errors$),
    price$: (topic) => stream$(() => client().price$(topic)),
    price: (topic) => () => client().price(topic)(),
    depth$: (mint, interval) => stream$(() => client().depth$(mint, interval)),
    depth: (mint) => () => client().depth(mint)(),
    history: {
      prices$: (topic, range) => stream$(() => client().history.prices$(topic, range)),
      topics: () => () => client().history.topics()(),
    },
    inspect: () => client().inspect(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A history without the events from the current time of the replay on, which pauses the replay while it is read. */
const replayHistory = (
  playback: Playback,
  past = recordedHistory(playback.sources, playback.playedHeaders),
): History => {
  /** A timer of a strategy may fire before the line is emitted. */
  const now = (): number => Math.min(playback.recordedAt, rxClock.wallClock())
  return {
    prices$: (topic, range) =>
      new Observable((subscriber) => {
        const read = (): void => {
          const { to = Infinity } = { ...range }
          const past$ = past.prices$(topic, { ...range, to: Math.min(to, now()) })
          subscriber.add(playback.waits.hold())
          subscriber.add(
            past$.subscribe({
              next: (event) => playback.runs.enter(() => subscriber.next(event)),
              error: (thrown) => subscriber.error(thrown),
              complete: () => playback.runs.enter(() => subscriber.complete()),
            }),
          )
        }
        if (playback.waits.hasStarted) return read()
        void playback.header().then((header) => {
          if (!isLeft(header)) return read()
          if (header.left._tag === 'RecordingError') subscriber.next(left(header.left))
          subscriber.complete()
        })
      }),
    topics: () => async () => {
      if (!playback.waits.hasStarted) await playback.header()
      const release = playback.waits.hold()
      const time = now()
      const topics = await past.topics()()
      release()
      return map((known: readonly CoveredTopic[]) =>
        known.filter(({ from }) => from < time).map((topic) => ({ ...topic, to: Math.min(topic.to, time) })),
      )(topics)
    },
  }
}
