import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { catchError, EMPTY, interval, map, observable, of, Subject, take, type Observable } from 'rxjs'
import { ConfigurationError, defineTokens, type Client, type Price, type PriceError } from 'svc-streams'
import { candles, combineFresh, freshWithin, mapRight, rights } from 'svc-streams/operators'
import { market, paper, type Order } from 'svc-streams/paper'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { otherCopies, type Rxjs } from '../../support/other-rxjs.js'
import {
  chunksOf,
  collect,
  header,
  mint,
  priceRow,
  recordingText,
  topic,
} from '../recording/support/recordings.js'

const rows = Array.from({ length: 5 }, (_, n) => priceRow(n * 1000, n + 1))

const run = (strategy$: (client: Client) => Observable<unknown>, speed = Infinity) =>
  collect(replay(chunksOf(recordingText(header, ...rows)), { speed }).run$(strategy$))

type PriceEvent = Either<PriceError, Price>

/** Strategies whose clocks and timers belong to another copy of RxJS. */
const strategies: Readonly<Record<string, (rx: Rxjs, client: Client) => Observable<unknown>>> = {
  'returns an observable of the other copy': ({ merge }, client) =>
    merge(client.price$(topic), client.depth$(mint, 100)),
  'returns a subject of the other copy': ({ BehaviorSubject }) => new BehaviorSubject(1),
  'applies an operator of the other copy to a stream of the client': ({ auditTime }, client) =>
    client.price$(topic).pipe(auditTime(2000)),
  'applies it to the status': ({ debounceTime }, client) => client.status$.pipe(debounceTime(10)),
  'applies it to the errors': ({ debounceTime }, client) => client.errors$.pipe(debounceTime(10)),
  'applies it to a depth': ({ debounceTime }, client) => client.depth$(mint, 1).pipe(debounceTime(10)),
  'applies it after an operator of the library': ({ auditTime }, client) =>
    client.price$(topic).pipe(rights(), auditTime(2000)),
  'applies it between operators of the library': ({ auditTime }, client) =>
    client.price$(topic).pipe(
      candles(1000),
      auditTime<Either<PriceError, { readonly close: number }>>(2000),
      mapRight(({ close }) => close),
      rights(),
    ),
  'applies it to a combination': ({ auditTime }, client) =>
    combineFresh({ price: client.price$(topic) }, { maxSkew: 10 }).pipe(auditTime(2000)),
  'combines a stream with an operator of the other copy': ({ auditTime }, client) =>
    combineFresh({ price: client.price$(topic).pipe(auditTime<PriceEvent>(2000)) }, { maxSkew: 10 }),
  'retries without a limit': ({ retry }, client) => client.price$(topic).pipe(retry()),
  'catches every error': ({ auditTime }, client) =>
    client.price$(topic).pipe(
      auditTime(1),
      catchError(() => EMPTY),
    ),
}

describe.each(Object.entries(otherCopies))('run$, with a second copy of RxJS (%s),', (_, load) => {
  it.each(Object.entries(strategies))(
    'ends with a ConfigurationError if the strategy %s',
    async (__, strategy) => {
      const rx = await load()
      const result = run((client) => strategy(rx, client))
      await expect(result).rejects.toThrow(ConfigurationError)
      await expect(result).rejects.toThrow(
        /^run\$: .* another copy of RxJS.*npm ls rxjs.*npm dedupe.*overrides.*alias/,
      )
    },
  )

  it.each<[string, (rx: Rxjs, order$: Observable<Order>) => Observable<Order>]>([
    ['returns an observable of the other copy', ({ merge }, order$) => merge(order$)],
    ['applies an operator of the other copy', ({ delay }, order$) => order$.pipe(delay(35))],
  ])('ends with a ConfigurationError if the strategy of an account %s', async (__, strategy) => {
    const rx = await load()
    const tokens = defineTokens({ X: { address: '0xab', decimals: 0 } })
    const costs = { feeBps: 0, slippageBps: 0, latency: 0 }
    const orders = ({ price$ }: Pick<Client, 'price$'>) =>
      strategy(rx, price$(topic).pipe(map(() => market('X', 'buy', { units: 1n }))))
    const result = run((client) => paper(client, orders, { tokens, cash: 10, ...costs }))
    await expect(result).rejects.toThrow(/^strategy: .* another copy of RxJS/)
  })

  it('ends with a ConfigurationError at any speed', async () => {
    const { NEVER } = await load()
    await expect(run(() => NEVER, 1000)).rejects.toThrow(ConfigurationError)
  })
})

describe('run$, with one copy of RxJS,', () => {
  it('runs operators, subjects, classes derived from Observable and interoperable observables', async () => {
    class Derived extends Subject<number> {}
    const derived$ = new Derived()
    const foreign = { [observable]: () => of('interop') } as unknown
    expect(await run(() => foreign as Observable<unknown>)).toEqual(['interop'])
    const subject$ = (client: Client) => {
      const usd$ = client.price$(topic).pipe(
        rights(),
        map(({ price }) => price),
      )
      usd$.subscribe(derived$)
      return derived$.pipe(take(2))
    }
    expect(await run(subject$)).toEqual([1, 2])
    expect(await run(() => derived$.asObservable().pipe(take(0)))).toEqual([])
  })

  it('keeps the values, the times and the completion of a strategy', async () => {
    const last = (client: Client) =>
      client.price$(topic).pipe(
        freshWithin(1500),
        map((event) => (isRight(event) ? event.right.price : event.left._tag)),
      )
    expect(await run(last)).toEqual([1, 2, 3, 4, 5])
    expect(await run(() => interval(1000).pipe(take(3)))).toEqual([0, 1, 2])
  })

  it('passes on an exception of the strategy', async () => {
    const mistake = new Error('mine')
    await expect(
      run(() => {
        throw mistake
      }),
    ).rejects.toBe(mistake)
  })
})
