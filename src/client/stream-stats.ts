import { isRight } from 'fp-ts/lib/Either.js'
import { finalize, Observable, tap } from 'rxjs'
import type { Address } from '../domain/address.js'
import {
  resultOf,
  stateAfter,
  type PollSnapshot,
  type StreamEvent,
  type TopicSnapshot,
  type TopicSnapshotState,
} from '../domain/snapshot.js'
import type { Topic } from '../domain/topic.js'
import { asText } from '../errors/text.js'

/** Times are monotonic, in ms. */
interface CountedStream {
  /** The topic or the mint, as the first subscriber wrote it. */
  readonly name: string
  /** In ms; 0 for prices, which have no interval. */
  readonly interval: number
  subscribers: number
  /** Of a topic. */
  state: TopicSnapshotState
  last: StreamEvent | undefined
  lastValueAt: number | undefined
  lastEventAt: number | undefined
}

/** Counts subscribers and remembers the last event of each stream, for `inspect()`. */
export class StreamStats {
  /** `elapsed`: monotonic, in ms. */
  constructor(private readonly elapsed: () => number) {}

  private readonly prices = new Map<string, CountedStream>()
  private readonly depths = new Map<string, CountedStream>()

  price$<A extends StreamEvent>(topic: Topic, source$: Observable<A>): Observable<A> {
    return this.counted$(this.prices, keyOf(topic), { name: topic, interval: 0 }, source$)
  }

  depth$<A extends StreamEvent>(mint: Address, interval: number, source$: Observable<A>): Observable<A> {
    return this.counted$(this.depths, `${keyOf(mint)} ${asText(interval)}`, { name: mint, interval }, source$)
  }

  topics(): readonly TopicSnapshot[] {
    return [...this.prices.values()].map(({ name, subscribers, state, lastValueAt }) => ({
      topic: name,
      subscribers,
      state,
      lastPriceAgeMs: this.ageOf(lastValueAt),
    }))
  }

  polls(): readonly PollSnapshot[] {
    return [...this.depths.values()].map(({ name, interval, subscribers, last, lastEventAt }) => ({
      mint: name,
      interval,
      subscribers,
      lastResult: resultOf(last),
      lastResultAgeMs: this.ageOf(lastEventAt),
    }))
  }

  private ageOf(time: number | undefined): number | null {
    return time === undefined ? null : Math.round(this.elapsed() - time)
  }

  private counted$<A extends StreamEvent>(
    streams: Map<string, CountedStream>,
    key: string,
    names: Pick<CountedStream, 'name' | 'interval'>,
    source$: Observable<A>,
  ): Observable<A> {
    return new Observable((subscriber) => {
      const stream = streams.get(key) ?? {
        ...names,
        subscribers: 0,
        state: 'waiting',
        last: undefined,
        lastValueAt: undefined,
        lastEventAt: undefined,
      }
      streams.set(key, stream)
      stream.subscribers++
      // A later subscriber first receives the last event again.
      let isRepeated = stream.last !== undefined
      const subscription = source$
        .pipe(
          tap((event) => {
            if (isRepeated || event === stream.last) return
            stream.last = event
            stream.state = stateAfter(event, stream.state)
            stream.lastEventAt = this.elapsed()
            if (isRight(event)) stream.lastValueAt = stream.lastEventAt
          }),
          finalize(() => {
            stream.subscribers--
            if (stream.subscribers === 0) streams.delete(key)
          }),
        )
        .subscribe(subscriber)
      isRepeated = false
      return subscription
    })
  }
}

/** Accepts any value, which a caller in plain JavaScript may pass. */
const keyOf = (name: unknown): string => asText(name).toLowerCase()
