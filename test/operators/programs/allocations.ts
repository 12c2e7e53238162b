import { right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type OperatorFunction, type Subscriber } from 'rxjs'
import { candles, combineFresh, conflate, freshWithin } from 'svc-streams/operators'
import type { Price } from 'svc-streams'

// Prints the bytes that each operator allocates per event, beside those of its results. Run it with `--expose-gc` and a
// young generation that no burst fills.

type PriceEvent = Either<never, Price>

const topic = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
/** Later than the measurement: prices from before the turn of the event loop were held. */
const start = Date.now() + 30_000
const prices: readonly PriceEvent[] = Array.from({ length: 1000 }, (_, index) =>
  right({ topic, price: 2000 + (index % 7), receivedAt: start + index, epoch: 1 }),
)

const operators: Readonly<Record<string, OperatorFunction<PriceEvent, unknown>>> = {
  conflate: conflate(60_000),
  candles: candles(60_000),
  freshWithin: freshWithin(60_000),
}

const bursts = 100

/** The least of many rounds: compiled code and timers of Node are allocated in the first ones. */
const bytesPerEvent = (emitBurst: () => void): number => {
  for (let warmUp = 0; warmUp < 20; warmUp++) for (let burst = 0; burst < bursts; burst++) emitBurst()
  const rounds = Array.from({ length: 30 }, () => {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (let burst = 0; burst < bursts; burst++) emitBurst()
    return process.memoryUsage().heapUsed - before
  })
  return Math.min(...rounds) / (bursts * prices.length)
}

/** Keeps the last result, because V8 does not allocate a result that is not used. */
let latest: unknown

/** A source that allocates nothing itself: the `next` of a Subject does. */
const createSource = () => {
  const subscribers: Subscriber<PriceEvent>[] = []
  const price$ = new Observable<PriceEvent>((subscriber) => void subscribers.push(subscriber))
  return { price$, next: (price: PriceEvent): void => subscribers[0]?.next(price) }
}

const ofOperator = (operator: OperatorFunction<PriceEvent, unknown>): number => {
  const source = createSource()
  const subscription = source.price$.pipe(operator).subscribe((result) => (latest = result))
  const bytes = bytesPerEvent(() => prices.forEach(source.next))
  subscription.unsubscribe()
  return bytes
}

const ofCombination = (): number => {
  const [eth, btc] = [createSource(), createSource()]
  const both$ = combineFresh({ eth: eth.price$, btc: btc.price$ }, { maxSkew: 60_000 })
  const subscription = both$.subscribe((result) => (latest = result))
  const bytes = bytesPerEvent(() =>
    prices.forEach((price, index) => (index % 2 === 0 ? eth : btc).next(price)),
  )
  subscription.unsubscribe()
  return bytes
}

const ofResults = (): number =>
  bytesPerEvent(() => prices.forEach((eth) => (latest = right({ eth, btc: eth }))))

/** V8 allocates the number that a clock returns. */
const ofClock = (): number => bytesPerEvent(() => prices.forEach(() => (latest = performance.now())))

const figures = {
  ...Object.fromEntries(Object.entries(operators).map(([name, operator]) => [name, ofOperator(operator)])),
  combineFresh: ofCombination(),
  clock: ofClock(),
  results: ofResults(),
}
console.log(JSON.stringify({ figures, isUsed: latest !== undefined }))
process.exit()
