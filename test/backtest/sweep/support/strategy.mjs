// A strategy for the tests: each parameter names one behaviour. Rows are counted from 0.
import {
  EMPTY,
  filter,
  ignoreElements,
  interval,
  map,
  NEVER,
  of,
  switchMap,
  take,
  takeUntil,
  throwError,
  timer,
} from 'rxjs'
import { candles, orThrow, rights } from 'svc-streams/operators'

const topic = 'svc-0xab'

/** Calls `act` at a row. */
const atRow = (client, row, act) =>
  client.price$(topic).pipe(
    map((event, index) => (index === row ? act(event) : event)),
    ignoreElements(),
  )

/** Some 300 MB: a runtime may ignore the limit of the thread, and the machine must not run out of memory. */
const allocate = () => {
  const kept = []
  while (kept.length < 10_000) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })))
  throw new Error('the thread has no limit')
}

const behaviours = {
  prices: (client, { every = 1 }) =>
    client.price$(topic).pipe(
      rights(),
      map(({ price }) => price),
      filter((_, index) => index % every === 0),
    ),
  candles: (client, { ms }) => client.price$(topic).pipe(candles(ms)),
  'candles with past': (client, { ms, after }) =>
    timer(after).pipe(
      switchMap(() => {
        const past$ = client.history.prices$(topic, { from: 0 })
        return client.price$(topic).pipe(candles(ms, { past$ }))
      }),
    ),
  ticks: (client, { ms }) => interval(ms).pipe(takeUntil(client.price$(topic).pipe(ignoreElements()))),
  first: (client, { count }) => client.price$(topic).pipe(take(count)),
  'close client': (client, { row }) =>
    client.price$(topic).pipe(
      map((_, index) => {
        if (index === row) void client.close()
        return index
      }),
    ),
  'open topics': (client) => client.price$(topic).pipe(map(() => client.inspect().topics[0].subscribers)),
  never: () => NEVER,
  empty: () => EMPTY,
  'Rx error': () => throwError(() => new RangeError('an Rx error')),
  'throw at once': () => {
    throw new RangeError('thrown at once')
  },
  'throw at a row': (client, { row }) =>
    atRow(client, row, () => {
      throw new RangeError('thrown at a row')
    }),
  'throw a Left': (client) => client.price$('svc-0xff').pipe(orThrow()),
  'no observable': () => undefined,
  exit: (client, { row }) => atRow(client, row, () => process.exit(3)),
  'throw in a timer': () => {
    setTimeout(() => {
      throw new RangeError('thrown in a timer')
    })
    return NEVER
  },
  'throw in a handler': (client) => {
    client.price$(topic).subscribe(() => {
      throw new RangeError('thrown in a handler')
    })
    return client.price$(topic).pipe(take(2))
  },
  'reject a promise': (client) => {
    void Promise.reject(new RangeError('rejected'))
    return client.price$(topic).pipe(take(1))
  },
  allocate: (client, { row }) => atRow(client, row, allocate),
  functions: () => of(1, 2, () => 3),
  loop: (_, { started }) => {
    for (;;) Atomics.store(new Int32Array(started), 0, 1)
  },
  time: () => timer(250, 1000).pipe(map((count) => count * 2)),
}

export default (client, parameter) => behaviours[parameter.kind](client, parameter)
