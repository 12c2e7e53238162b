import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { defer, finalize, tap, type Observable } from 'rxjs'
import type { Address } from '../domain/address.js'
import type { PollSnapshot, TopicSnapshot } from '../domain/snapshot.js'
import type { Topic } from '../domain/topic.js'
import { elapsed } from '../time/clock.js'

type Tagged = Either<{ readonly _tag: string }, unknown>

interface StreamStat {
  readonly name: string
  readonly interval: number
  subscribers: number
  last: Tagged | undefined
  /** When the last value came, and the last event, in ms. */
  valueAt: number | undefined
  eventAt: number | undefined
}

/** Looks on while streams are listened to, and says what it saw: for a client's `inspect`. */
export class StreamStats {
  private readonly prices = new Map<string, StreamStat>()
  private readonly depths = new Map<string, StreamStat>()

  price$<A extends Tagged>(topic: Topic, source$: Observable<A>): Observable<A> {
    return counted$(this.prices, topic.toLowerCase(), { name: topic, interval: 0 }, source$)
  }

  depth$<A extends Tagged>(mint: Address, interval: number, source$: Observable<A>): Observable<A> {
    return counted$(this.depths, `${mint.toLowerCase()} ${interval}`, { name: mint, interval }, source$)
  }

  topics(): readonly TopicSnapshot[] {
    return [...this.prices.values()].map(({ name, subscribers, last, valueAt }) => ({
      topic: name,
      subscribers,
      state: last === undefined ? 'waiting' : isRight(last) ? 'live' : stateOf(last.left._tag),
      lastPriceAgeMs: ageOf(valueAt),
    }))
  }

  polls(): readonly PollSnapshot[] {
    return [...this.depths.values()].map(({ name, interval, subscribers, last, eventAt }) => ({
      mint: name,
      interval,
      subscribers,
      lastResult: last === undefined ? 'none' : isLeft(last) ? last.left._tag : 'ok',
      lastResultAgeMs: ageOf(eventAt),
    }))
  }
}

const stateOf = (tag: string): 'stale' | 'waiting' => (tag === 'Stale' ? 'stale' : 'waiting')

const ageOf = (at: number | undefined): number | null =>
  at === undefined ? null : Math.round(elapsed() - at)

const counted$ = <A extends Tagged>(
  all: Map<string, StreamStat>,
  key: string,
  what: Pick<StreamStat, 'name' | 'interval'>,
  source$: Observable<A>,
): Observable<A> =>
  defer(() => {
    const fresh: StreamStat = {
      ...what,
      subscribers: 0,
      last: undefined,
      valueAt: undefined,
      eventAt: undefined,
    }
    const watched = all.get(key) ?? fresh
    all.set(key, watched)
    watched.subscribers++
    return source$.pipe(
      tap((event) => {
        watched.last = event
        watched.eventAt = elapsed()
        if (isRight(event)) watched.valueAt = watched.eventAt
      }),
      finalize(() => {
        watched.subscribers--
        if (watched.subscribers === 0) all.delete(key)
      }),
    )
  })
