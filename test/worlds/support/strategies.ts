import { isRight, type Either } from 'fp-ts/lib/Either.js'
import {
  asapScheduler,
  asyncScheduler,
  auditTime,
  buffer,
  bufferCount,
  catchError,
  combineLatest,
  concatMap,
  count,
  debounce,
  debounceTime,
  delay,
  distinctUntilChanged,
  exhaustMap,
  expand,
  filter,
  finalize,
  groupBy,
  ignoreElements,
  map,
  merge,
  mergeMap,
  Observable,
  observeOn,
  of,
  pairwise,
  queueScheduler,
  race,
  repeat,
  retry,
  sample,
  scan,
  share,
  shareReplay,
  skip,
  subscribeOn,
  Subscription,
  switchMap,
  take,
  takeUntil,
  tap,
  throttleTime,
  timeInterval,
  timeout,
  timer,
  timestamp,
  window,
  windowCount,
  withLatestFrom,
  zip,
} from 'rxjs'
import type { Address, Client, ConnectionStatus, Topic } from 'svc-streams'
import {
  candles,
  combineFresh,
  conflate,
  filterRight,
  freshWithin,
  lefts,
  mapRight,
  orThrow,
  rights,
  scanRight,
  switchMapRight,
  tapLeft,
} from 'svc-streams/operators'

// Strategies that every world must run alike. The market changes at multiples of 20 ms, and timers of the client are due at
// multiples of 10 ms. The delays of the strategies are 3 ms above, or a fraction if they add up, so that no timer of a strategy
// is due together with an event: the order of two things at the same time is not the same in all worlds.

export const a: Topic = 'svc-0xaa'
export const b: Topic = 'svc-0xbb'
export const mint: Address = '0xcc'
/** In ms. */
export const interval = 200

export type Strategy = (client: Client) => Observable<unknown>

const eth$ = (client: Client) => client.price$(a)
const btc$ = (client: Client) => client.price$(b)
const depth$ = (client: Client) => client.depth$(mint, interval)
const usd$ = (client: Client): Observable<number> =>
  eth$(client).pipe(
    rights(),
    map(({ price }) => price),
  )
const tagOf = (event: Either<{ readonly _tag: string }, unknown>): string =>
  isRight(event) ? 'Right' : event.left._tag
/** A recording does not tell when the service confirmed a topic: `live` and `waiting` may differ until the first price. */
const isStale = (client: Client): boolean =>
  client.inspect().topics.some(({ topic, state }) => topic === a && state === 'stale')

const isWaiting = ({ _tag }: ConnectionStatus): boolean => _tag === 'Waiting'
const ageOf = (client: Client): number | null | undefined =>
  client.inspect().topics.find(({ topic }) => topic === a)?.lastPriceAgeMs

/** Strategies that start no timer. */
export const timeless: Readonly<Record<string, Strategy>> = {
  'every event': eth$,
  'every price': usd$,
  'both topics': (client) => merge(eth$(client), btc$(client)),
  'every depth': depth$,
  'an Rx error, and a new subscription': (client) => eth$(client).pipe(orThrow(), retry()),
  'an Rx error of depth, and a new subscription': (client) => depth$(client).pipe(orThrow(), retry()),
  'an Rx error, and a value instead': (client) =>
    eth$(client).pipe(
      orThrow(),
      catchError(() => of('failed')),
    ),
  changes: (client) => eth$(client).pipe(map(tagOf), distinctUntilChanged()),
  pairs: (client) => usd$(client).pipe(pairwise()),
  'a sum': (client) => usd$(client).pipe(scan((sum, price) => sum + price, 0)),
  'three at a time': (client) => usd$(client).pipe(bufferCount(3)),
  windows: (client) =>
    usd$(client).pipe(
      windowCount(4),
      mergeMap((window$) => window$.pipe(count())),
    ),
  'with the latest of another topic': (client) => eth$(client).pipe(withLatestFrom(btc$(client))),
  'the latest of two topics': (client) => combineLatest([eth$(client), btc$(client)]),
  'pairs of two topics': (client) => zip(usd$(client), btc$(client)),
  'the first of two topics': (client) => race(eth$(client), btc$(client)),
  'fresh prices of two topics': (client) =>
    combineFresh({ eth: eth$(client), btc: btc$(client) }, { maxSkew: 250 }),
  'a fresh price with depth': (client) =>
    combineFresh({ price: eth$(client), depth: depth$(client) }, { maxSkew: 350 }),
  'all errors': (client) => merge(eth$(client), btc$(client), depth$(client)).pipe(lefts()),
  'depth while the price is current': (client) => eth$(client).pipe(switchMapRight(() => depth$(client))),
  'a mapped price': (client) => eth$(client).pipe(mapRight(({ price }) => 2 * price)),
  'a running sum': (client) => eth$(client).pipe(scanRight((sum, { price }) => sum + price, 0)),
  'even prices': (client) => eth$(client).pipe(filterRight(({ price }) => price % 2 === 0)),
  'counted errors': (client) => {
    let errors = 0
    return eth$(client).pipe(
      tapLeft(() => errors++),
      map(() => errors),
    )
  },
  'events by kind': (client) =>
    eth$(client).pipe(
      groupBy(tagOf),
      mergeMap((group$) =>
        group$.pipe(
          scan((seen) => seen + 1, 0),
          map((seen) => [group$.key, seen]),
        ),
      ),
    ),
  'a shared stream': (client) => {
    const shared$ = usd$(client).pipe(share())
    return merge(shared$, shared$.pipe(map((price) => -price)))
  },
  'a replayed stream': (client) => {
    const shared$ = eth$(client).pipe(shareReplay({ bufferSize: 1, refCount: true }))
    return merge(shared$, btc$(client).pipe(switchMap(() => shared$.pipe(take(1)))))
  },
  'a late subscriber per price of another topic': (client) =>
    btc$(client).pipe(mergeMap(() => eth$(client).pipe(take(1)))),
  'a late subscriber of depth per price': (client) =>
    eth$(client).pipe(switchMap(() => depth$(client).pipe(take(1)))),
  'a subscriber of the same topic from its own event': (client) =>
    eth$(client).pipe(switchMap(() => eth$(client).pipe(take(1)))),
  'two events, again and again': (client) => eth$(client).pipe(take(2), repeat(), take(200)),
  'the connection': (client) => client.status$.pipe(map(({ _tag }) => _tag)),
  'the price when the connection is lost': (client) =>
    client.status$.pipe(
      filter(isWaiting),
      mergeMap(() => eth$(client).pipe(take(1))),
    ),
  'the prices since the connection was lost': (client) =>
    client.status$.pipe(
      filter(isWaiting),
      switchMap(() => merge(eth$(client), btc$(client))),
    ),
  'the price when the connection is open': (client) =>
    client.status$.pipe(
      filter(({ _tag }) => _tag === 'Open'),
      switchMap(() => merge(eth$(client), btc$(client))),
    ),
  'uncorrelated errors': (client) => client.errors$,
  'prices, depth, errors and the connection': (client) =>
    merge(client.status$, eth$(client), btc$(client), depth$(client), client.errors$),
  'the price with the connection': (client) => combineLatest([eth$(client), client.status$]),
  'two depths for each price': (client) => eth$(client).pipe(mergeMap(() => depth$(client).pipe(take(2)))),
  'two depths for each price, one after the other': (client) =>
    eth$(client).pipe(concatMap(() => depth$(client).pipe(take(2)))),
  'two prices for each depth': (client) => depth$(client).pipe(exhaustMap(() => eth$(client).pipe(take(2)))),
  'prices through asapScheduler': (client) => eth$(client).pipe(observeOn(asapScheduler)),
  'prices through queueScheduler': (client) => eth$(client).pipe(observeOn(queueScheduler)),
  'a subscription through asapScheduler': (client) => eth$(client).pipe(subscribeOn(asapScheduler)),
  'the state of a topic at each event': (client) =>
    eth$(client).pipe(map((event) => [tagOf(event), isStale(client)])),
}

/**
 * Strategies over prices alone, whose results over a gateway are those of its own client. Subscribers that join during an outage
 * are not among them: a consumer has outages of its own. Nor are comparisons of `receivedAt`, which is real time over a gateway
 * and may differ by a millisecond.
 */
export const ofPrices: readonly string[] = Object.keys(timeless).filter(
  (name) =>
    !/depth|fresh|connection|uncorrelated|errors|late subscriber|same topic|again|new subscription|replayed/.test(
      name,
    ),
)

/** Strategies that subscribe again after the service has rejected a topic. A recording has no events of it from there on. */
export const resubscribing: readonly string[] = [
  'the prices since the connection was lost',
  'the price when the connection is open',
  'a new subscription after a rejection',
]

/** Strategies that start timers. */
export const timed: Readonly<Record<string, Strategy>> = {
  candles: (client) => eth$(client).pipe(candles(503)),
  'the newest of each window': (client) => eth$(client).pipe(conflate(243)),
  'prices that a newer one must follow': (client) => eth$(client).pipe(freshWithin(303)),
  'a delay': (client) => eth$(client).pipe(delay(103)),
  'prices before a pause': (client) => eth$(client).pipe(debounceTime(203)),
  'the newest after a while': (client) => eth$(client).pipe(auditTime(203)),
  'the first and the last of a while': (client) =>
    eth$(client).pipe(throttleTime(203, asyncScheduler, { leading: true, trailing: true })),
  'a sample': (client) => eth$(client).pipe(sample(timer(3, 200))),
  'prices of each window': (client) => usd$(client).pipe(buffer(timer(3, 300))),
  'a late subscriber': (client) => timer(1303).pipe(switchMap(() => merge(eth$(client), depth$(client)))),
  'late subscribers': (client) => timer(3, 300).pipe(exhaustMap(() => eth$(client).pipe(take(1)))),
  'late subscribers of depth': (client) => timer(3, 300).pipe(switchMap(() => depth$(client).pipe(take(1)))),
  'a subscriber that comes and goes': (client) =>
    timer(3).pipe(switchMap(() => eth$(client).pipe(takeUntil(timer(303)), repeat({ delay: 217 })))),
  silence: (client) => eth$(client).pipe(timeout({ each: 403 }), retry({ delay: 100.007 })),
  'a new subscription after a rejection': (client) => btc$(client).pipe(repeat({ delay: 100.007 })),
  'a new subscription after an error, later': (client) =>
    eth$(client).pipe(orThrow(), retry({ delay: 100.007 })),
  'one task after the other': (client) =>
    usd$(client).pipe(concatMap((price) => timer(43).pipe(map(() => price)))),
  'the newest task': (client) => usd$(client).pipe(switchMap((price) => timer(43).pipe(map(() => price)))),
  'a task at a time': (client) => usd$(client).pipe(exhaustMap((price) => timer(143).pipe(map(() => price)))),
  'prices until the connection is lost': (client) =>
    eth$(client).pipe(takeUntil(client.status$.pipe(filter(isWaiting), skip(1))), repeat({ delay: 103.007 })),
  'a subscription when another one ends': (client) =>
    new Observable((subscriber) => {
      const others = new Subscription()
      subscriber.add(others)
      const onEnd = (): void => {
        others.add(
          eth$(client)
            .pipe(take(2))
            .subscribe((event) => subscriber.next(event)),
        )
      }
      return eth$(client)
        .pipe(take(1), finalize(onEnd), repeat({ delay: 203.007 }))
        .subscribe(subscriber)
    }),
  'a pause that depends on the event': (client) =>
    eth$(client).pipe(debounce((event) => timer(isRight(event) ? 503 : 43))),
  'a shared stream that outlives its subscribers': (client) => {
    const shared$ = eth$(client).pipe(orThrow(), share({ resetOnRefCountZero: () => timer(103.007) }))
    return timer(3.007, 150).pipe(
      switchMap((turn) => (turn % 3 === 0 ? of('away') : shared$.pipe(retry({ delay: 30.007 })))),
    )
  },
  'an operator that throws, and a new subscription': (client) => {
    let events = 0
    return eth$(client).pipe(
      tap(() => {
        if (++events % 3 === 0) throw new Error('thrown')
      }),
      retry({ delay: 53.007 }),
    )
  },
  'a loop of timers': () =>
    of(0).pipe(
      expand((step) => timer(103).pipe(map(() => step + 1))),
      take(15),
    ),
  'a count until a time': (client) =>
    eth$(client).pipe(
      window(timer(1503)),
      take(1),
      concatMap((window$) => window$.pipe(count())),
    ),
  'a list until a time': (client) => usd$(client).pipe(buffer(timer(903)), take(1)),
  'the time of each event': (client) =>
    eth$(client).pipe(
      timestamp(),
      map((event) => event.timestamp),
    ),
  'the time between events': (client) =>
    eth$(client).pipe(
      timeInterval(),
      map((event) => event.interval),
    ),
  'the age of the price from time to time': (client) =>
    merge(eth$(client).pipe(ignoreElements()), timer(3, 100).pipe(map(() => ageOf(client)))),
  'the state of a topic from time to time': (client) =>
    merge(eth$(client).pipe(ignoreElements()), timer(3, 100).pipe(map(() => isStale(client)))),
}

/** Strategies that emit an error or a price again and again, as long as an error lasts. */
export const endless: Readonly<Record<string, Strategy>> = {
  'both topics, after an error of one': (client) =>
    merge(eth$(client), btc$(client)).pipe(
      orThrow(),
      map(({ topic, price }) => [topic, price]),
      retry(),
    ),
  'the last error': (client) =>
    eth$(client).pipe(
      filter((event) => !isRight(event)),
      map(tagOf),
      take(1),
      repeat(),
    ),
}

export const strategies: Readonly<Record<string, Strategy>> = { ...timeless, ...timed }

/** For a sweep, whose parameters are names of strategies. */
export default (client: Client, name: string): Observable<unknown> => {
  const strategy = strategies[name]
  if (strategy === undefined) throw new Error(`there is no strategy ${name}`)
  return strategy(client)
}
