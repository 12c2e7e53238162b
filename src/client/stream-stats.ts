import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { defer, finalize, tap, type Observable } from 'rxjs'
import type { Address } from '../domain/address.js'
import { resultOf, stateAfter, type PollSnapshot, type TopicSnapshot } from '../domain/snapshot.js'
import type { Topic } from '../domain/topic.js'
import { elapsed } from '../time/clock.js'

type Event = Either<{ readonly _tag: string }, unknown>

/** Times are monotonic, in ms. */
interface StreamStat {
  readonly name: string
  readonly interval: number
  subscribers: number
  last: Event | undefined
  lastValueAt: number | undefined
  lastEventAt: number | undefined
}

/** Counts subscribers and remembers the last event of each stream, for `inspect()`. */
export class StreamStats {
  private readonly prices = new Map<string, StreamStat>()
  private readonly depths = new Map<string, StreamStat>()

  price$<A extends Event>(topic: Topic, source$: Observable<A>): Observable<A> {
    return counted$(this.prices, topic.toLowerCase(), { name: topic, interval: 0 }, source$)
  }

  depth$<A extends Event>(mint: Address, interval: number, source$: Observable<A>): Observable<A> {
    return counted$(this.depths, `${mint.toLowerCase()} ${interval}`, { name: mint, interval }, source$)
  }

  topics(): readonly TopicSnapshot[] {
    return [...this.prices.values()].map(({ name, subscribers, last, lastValueAt }) => ({
      topic: name,
      subscribers,
      state: stateAfter(last),
      lastPriceAgeMs: ageOf(lastValueAt),
    }))
  }

  polls(): readonly PollSnapshot[] {
    return [...this.depths.values()].map(({ name, interval, subscribers, last, lastEventAt }) => ({
      mint: name,
      interval,
      subscribers,
      lastResult: resultOf(last),
      lastResultAgeMs: ageOf(lastEventAt),
    }))
  }
}

const ageOf = (time: number | undefined): number | null =>
  time === undefined ? null : Math.round(elapsed() - time)

const counted$ = <A extends Event>(
  stats: Map<string, StreamStat>,
  key: string,
  names: Pick<StreamStat, 'name' | 'interval'>,
  source$: Observable<A>,
): Observable<A> =>
  defer(() => {
    const stat = stats.get(key) ?? {
      ...names,
      subscribers: 0,
      last: undefined,
      lastValueAt: undefined,
      lastEventAt: undefined,
    }
    stats.set(key, stat)
    stat.subscribers++
    return source$.pipe(
      tap((event) => {
        stat.last = event
        stat.lastEventAt = elapsed()
        if (isRight(event)) stat.lastValueAt = stat.lastEventAt
      }),
      finalize(() => {
        stat.subscribers--
        if (stat.subscribers === 0) stats.delete(key)
      }),
    )
  })
