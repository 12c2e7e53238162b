import { right } from 'fp-ts/lib/Either.js'
import { from, interval, lastValueFrom, map, NEVER, of, Subject, take, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Client, Stream } from '../../src/exports.js'
import { replay } from '../../src/backtest/recording/index.js'
import { toStream$ } from '../../src/operators/index.js'
import { createTestClient, depth, price } from '../../src/testing/index.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { ethTopic, weth } from '../support/tokens.js'
import { header, recordingText } from '../backtest/recording/support/recordings.js'

const first = async <A>(stream$: AsyncIterable<A>): Promise<A | undefined> => {
  for await (const event of stream$) return event
  return undefined
}

const testClient = (): Client =>
  createTestClient({
    prices: { [ethTopic]: of(price(ethTopic, 1)) },
    depths: { [weth]: of(depth(weth)) },
    errors$: of({ _tag: 'UncorrelatedError', message: '', kind: 'error-text', input: 'text' }),
  })

const priceOf1 = { right: { topic: ethTopic, price: 1 } }

describe('for await', () => {
  it('reads each stream of a client over sockets, and unsubscribes at its end', async () => {
    const client = createClientFor(await startTestSimulator())
    expect(await first(client.price$(ethTopic))).toMatchObject({ right: { topic: ethTopic } })
    expect(await first(client.depth$(weth, 1000))).toMatchObject({ right: { mint: weth } })
    expect(await first(client.status$)).toMatchObject({ _tag: 'Open' })
    expect(client.inspect().topics.map(({ subscribers }) => subscribers)).toEqual([0])
    const errors = client.errors$[Symbol.asyncIterator]()
    const end = errors.next()
    await client.close()
    expect(await end).toEqual({ done: true, value: undefined })
  })

  it('reads each stream of a test client', async () => {
    const client = testClient()
    expect(await first(client.price$(ethTopic))).toMatchObject(priceOf1)
    expect(await first(client.depth$(weth, 1000))).toMatchObject({ right: { mint: weth } })
    expect(await first(client.status$)).toMatchObject({ _tag: 'Open' })
    expect(await first(client.errors$)).toMatchObject({ _tag: 'UncorrelatedError' })
  })

  it('reads each stream of a replay, and of the client of its strategy', async () => {
    const event = right(price(ethTopic, 1))
    const text = recordingText(
      { ...header, topics: [ethTopic] },
      { _tag: 'Price', at: header.at, topic: ethTopic, event },
    )
    const replayed = () => replay(new Set([text]), { speed: Infinity })
    const streams = (own: Client): readonly unknown[] =>
      [own.price$(ethTopic), own.depth$(weth, 1000), own.status$, own.errors$].map(
        (stream$: Stream<unknown>) => typeof stream$[Symbol.asyncIterator],
      )
    const own$ = replayed().run$((own) => of(streams(own)))
    expect(await lastValueFrom(own$)).toEqual(Array<string>(4).fill('function'))
    const client = replayed()
    expect(await first(client.price$(ethTopic))).toMatchObject(priceOf1)
    expect(streams(client)).toEqual(Array<string>(4).fill('function'))
  })

  it('reads the newest event after a slow step of the loop', async () => {
    const source$ = new Subject<number>()
    const read: number[] = []
    const loop = (async () => {
      for await (const each of toStream$(source$)) {
        read.push(each)
        if (each === 1) for (const next of [2, 3, 4]) source$.next(next)
      }
    })()
    source$.next(1)
    await Promise.resolve()
    source$.complete()
    await loop
    expect(read).toEqual([1, 4])
  })
})

describe('a stream', () => {
  it('is an observable for RxJS, whose functions give each event', async () => {
    const events = of(1, 2, 3)
    expect(await lastValueFrom(from(toStream$(events)).pipe(toArray()))).toEqual([1, 2, 3])
    expect(Symbol.asyncIterator in toStream$(events).pipe(take(1))).toBe(false)
  })

  it('is the source of a ReadableStream, which unsubscribes when it is cancelled', async () => {
    const client = createTestClient({
      prices: { [ethTopic]: interval(1).pipe(map((n) => price(ethTopic, n + 1))) },
    })
    const reader = ReadableStream.from(client.price$(ethTopic)).getReader()
    expect((await reader.read()).value).toMatchObject(priceOf1)
    await reader.cancel()
    expect(client.inspect().topics).toEqual([])
  })

  it('of a client of your own is an observable with toStream$', async () => {
    const own: Client = {
      ...testClient(),
      price$: () => toStream$(NEVER),
      status$: toStream$(of({ _tag: 'Idle' })),
    }
    expect(await first(own.status$)).toEqual({ _tag: 'Idle' })
  })
})
