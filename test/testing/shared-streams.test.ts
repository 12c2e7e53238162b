import { left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  concat,
  defer,
  firstValueFrom,
  interval,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  repeat,
  retry,
  startWith,
  Subject,
  take,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs'
import type {
  Address,
  Client,
  ConnectionStatus,
  Depth,
  DepthError,
  Price,
  PriceError,
  Topic,
} from 'svc-streams'
import { orThrow, switchMapRight } from 'svc-streams/operators'
import {
  clientClosed,
  createTestClient,
  depth,
  disconnected,
  price,
  stale,
  subscriptionRejected,
  subscriptionTimeout,
  timeout,
} from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { marbles } from '../support/time/marbles.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const topic: Topic = 'svc-0xab'
const mint: Address = '0xab'

const prices: Readonly<Record<string, Either<PriceError, Price>>> = {
  a: right(price(topic, 1)),
  b: right(price(topic, 2)),
  c: right(price(topic, 3)),
  D: left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })),
  S: left(stale(topic, 5, undefined)),
  /** `S`, 3 ms later. */
  L: left(stale(topic, 8, undefined)),
  T: left(subscriptionTimeout(topic, 5, [])),
  E: left({ _tag: 'DecodeError', message: '', input: '', issues: [] }),
  R: left(subscriptionRejected(topic, 'unknown')),
  X: left(clientClosed),
}

const depths: Readonly<Record<string, Either<DepthError, Depth>>> = {
  d: right(depth(mint, { price: 1 })),
  e: right(depth(mint, { price: 2 })),
  f: left(timeout(5)),
  X: left(clientClosed),
}

const statuses: Readonly<Record<string, ConnectionStatus>> = {
  o: { _tag: 'Open', epoch: 1, since: 0 },
  w: { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' },
}

/** Asserts the events of a late subscriber beside one from the beginning, for a given price stream. */
const expectLate = (late: { source: string; subscribed: string; expected: string }): void => {
  marbles(({ hot, expectObservable }) => {
    const client = createTestClient({ prices: { [topic]: hot(late.source, prices) } })
    expectObservable(client.price$(topic))
    expectObservable(client.price$(topic), late.subscribed).toBe(late.expected, prices)
  })
}

describe('subscribers of a test client', () => {
  it('share one subscription to the given price stream, whatever the case of the topic', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const given$ = hot('     a-b---c-|', prices)
      const expected = '       a-b---c-|'
      const subscribedLate = ' ---^'
      const expectedLate = '   ---b--c-|'
      const givenSubscribed = '^-------!'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic)).toBe(expected, prices)
      expectObservable(client.price$('svc-0xAB'), subscribedLate).toBe(expectedLate, {
        b: right(price('svc-0xAB', 2)),
        c: right(price('svc-0xAB', 3)),
      })
      expectSubscriptions(given$.subscriptions).toBe(givenSubscribed)
    })
  })

  it('share one subscription to the given depth stream, for all intervals', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const given$ = cold('   -d---e--', depths)
      const subscribed = '    ^------!'
      const expected = '      -d---e'
      const subscribedLate = '---^---!'
      const expectedLate = '  ---d-e'
      const client = createTestClient({ depths: { [mint]: given$ } })
      expectObservable(client.depth$(mint, 5), subscribed).toBe(expected, depths)
      expectObservable(client.depth$(mint, 1000), subscribedLate).toBe(expectedLate, depths)
      expectSubscriptions(given$.subscriptions).toBe(subscribed)
    })
  })

  it('receive an event in the frame of its emission', () => {
    marbles(({ hot, expectObservable }) => {
      const given$ = hot('-(ab)-c', prices)
      const expected = '  -(ab)-c'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic)).toBe(expected, prices)
      expectObservable(client.price$(topic)).toBe(expected, prices)
    })
  })

  it('share the given status, and a late one receives the current status', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const given$ = hot('    o--w---o', statuses)
      const states = '        o--w---o'
      const subscribedLate = '-----^'
      const lateStates = '    -----w-o'
      const client = createTestClient({ status$: given$ })
      expectObservable(client.status$).toBe(states, statuses)
      expectObservable(client.status$, subscribedLate).toBe(lateStates, statuses)
      expectSubscriptions(given$.subscriptions).toBe('^')
    })
  })
})

describe('a late subscriber of a topic', () => {
  it('receives the current price at once', () => {
    expectLate({
      source: '    a--b----c',
      subscribed: '-----^',
      expected: '  -----b--c',
    })
    expectLate({
      source: '    a--b-----c',
      subscribed: '---^',
      expected: '  ---(ab)--c',
    })
  })

  it('receives nothing before the first event', () => {
    expectLate({
      source: '    ----b----',
      subscribed: '--^',
      expected: '  ----b',
    })
  })

  it('receives the error that replaced the price, a Stale with the silence until now', () => {
    expectLate({
      source: '    a-D----c',
      subscribed: '-----^',
      expected: '  -----D-c',
    })
    expectLate({
      source: '    a-S----c',
      subscribed: '-----^',
      expected: '  -----L-c',
    })
  })

  it('receives the failure before a timeout of the subscription, not the timeout', () => {
    expectLate({
      source: '    D-T----c',
      subscribed: '---^',
      expected: '  ---D---c',
    })
  })

  it('receives a DecodeError, because no price is current after it', () => {
    expectLate({
      source: '    a-E----c',
      subscribed: '---^',
      expected: '  ---E---c',
    })
    expectLate({
      source: '    S-E----c',
      subscribed: '---^',
      expected: '  ---E---c',
    })
  })

  it('receives the outage that the status reports', () => {
    const reported = left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 }))
    marbles(({ hot, expectObservable }) => {
      const price$ = hot(' a------c', prices)
      const status$ = hot('o-w-----', statuses)
      const subscribed = ' ---^'
      const expected = '   ---D---c'
      const client = createTestClient({ prices: { [topic]: price$ }, status$ })
      expectObservable(client.price$(topic))
      expectObservable(client.price$(topic), subscribed).toBe(expected, { ...prices, D: reported })
    })
  })

  it('receives an outage until its next event, also if the connection is open again', () => {
    expectLate({
      source: '    D-E----c',
      subscribed: '---^',
      expected: '  ---E---c',
    })
    marbles(({ hot, expectObservable }) => {
      const price$ = hot('     a-D-----c', prices)
      const status$ = hot('    o-w--o---', statuses)
      const subscribedLate = ' ---^'
      const expectedLate = '   ---D----c'
      const subscribedLater = '------^'
      const expectedLater = '  ------D-c'
      const client = createTestClient({ prices: { [topic]: price$ }, status$ })
      expectObservable(client.price$(topic))
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, prices)
      expectObservable(client.price$(topic), subscribedLater).toBe(expectedLater, prices)
    })
  })

  it('receives an event once, if a handler of that event subscribes', () => {
    marbles(({ hot, expectObservable }) => {
      const given$ = hot('-a-b', prices)
      const expected = '  -a-b'
      const client = createTestClient({ prices: { [topic]: given$ } })
      const inner$ = client.price$(topic).pipe(
        take(1),
        mergeMap(() => client.price$(topic)),
      )
      expectObservable(inner$).toBe(expected, prices)
    })
  })
})

describe('a late subscriber of a mint', () => {
  it('receives the latest result at once', () => {
    marbles(({ hot, expectObservable }) => {
      const given$ = hot('     d---f---e', depths)
      const subscribedLate = ' --^'
      const expectedLate = '   --d-f---e'
      const subscribedLater = '------^'
      const expectedLater = '  ------f-e'
      const client = createTestClient({ depths: { [mint]: given$ } })
      expectObservable(client.depth$(mint, 5))
      expectObservable(client.depth$(mint, 5), subscribedLate).toBe(expectedLate, depths)
      expectObservable(client.depth$(mint, 5), subscribedLater).toBe(expectedLater, depths)
    })
  })
})

describe('a pipeline that retries without a delay subscribes in later turns, and gets the next value', () => {
  it.each(['price$', 'depth$'] as const)('of %s', (name) => {
    let subscriptions = 0
    marbles(({ hot, expectObservable }) => {
      const price$ = hot('a 199ms D 2s b', prices)
      const depth$ = hot('d 199ms f 2s e', depths)
      const subscribed = '^ 3s !'
      const expected = '  a 2200ms b'
      const client = createTestClient({ prices: { [topic]: price$ }, depths: { [mint]: depth$ } })
      const event$ = defer(() => {
        subscriptions++
        return name === 'price$' ? client.price$(topic) : client.depth$(mint, 5)
      })
      expectObservable(merge(client.price$(topic), client.depth$(mint, 5)))
      const values$ = event$.pipe(
        orThrow(),
        map(({ price }) => price),
        retry(),
      )
      expectObservable(values$, subscribed).toBe(expected, { a: 1, b: 2 })
    })
    expect(subscriptions).toBeGreaterThan(10)
    expect(subscriptions).toBeLessThan(1000)
  })
})

describe('a pipeline that subscribes again without an end and without a delay', () => {
  const endless: Readonly<Record<string, (client: Client) => Observable<unknown>>> = {
    'retry of a topic without a stream': (client) => client.price$('svc-0xdead').pipe(orThrow(), retry()),
    'repeat of a topic without a stream': (client) => client.price$('svc-0xdead').pipe(repeat()),
    'retry of a mint without a stream': (client) => client.depth$('0xdead', 5).pipe(orThrow(), retry()),
    'repeat of a mint without a stream': (client) => client.depth$('0xdead', 5).pipe(repeat()),
    'retry of the last error of a topic': (client) => client.price$(topic).pipe(orThrow(), retry()),
    'retry of the last error of a mint': (client) => client.depth$(mint, 5).pipe(orThrow(), retry()),
  }
  const streams = {
    prices: { [topic]: NEVER.pipe(startWith(prices['D']!)) },
    depths: { [mint]: NEVER.pipe(startWith(depths['f']!)) },
  }

  it.each(Object.entries(endless))('does not keep TestScheduler.run running: %s', (_, strategy) => {
    let thrown: unknown
    marbles(
      () => void strategy(createTestClient(streams)).subscribe({ error: (each: unknown) => (thrown = each) }),
    )
    expect(thrown).toBeUndefined()
  })

  it.each(Object.entries(endless))(
    'leaves time for others outside of TestScheduler.run: %s',
    async (_, strategy) => {
      let thrown: unknown
      const subscription = strategy(createTestClient(streams)).subscribe({
        error: (each: unknown) => (thrown = each),
      })
      await firstValueFrom(timer(5))
      subscription.unsubscribe()
      expect(thrown).toBeUndefined()
    },
  )
})

describe('an error that ends a stream', () => {
  it.each(['R', 'X'])('is followed by completion for all, and a new subscription asks again: %s', (error) => {
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const values = { ...prices, e: prices[error]! }
      const hot$ = hot('        --e----c', values)
      const cold$ = cold('      --e----c', values)
      const expected = '        --(e|)'
      const subscribedBefore = '-^'
      const subscribedAfter = ' ----^'
      const hotAfter = '        -------c'
      const coldAfter = '       ------(e|)'
      const first = '           ^-!'
      const secondOfCold = '    ----^-!'
      const hotPrice$ = createTestClient({ prices: { [topic]: hot$ } }).price$(topic)
      const coldPrice$ = createTestClient({ prices: { [topic]: cold$ } }).price$(topic)
      expectObservable(hotPrice$).toBe(expected, values)
      expectObservable(hotPrice$, subscribedBefore).toBe(expected, values)
      expectObservable(hotPrice$, subscribedAfter).toBe(hotAfter, values)
      expectObservable(coldPrice$).toBe(expected, values)
      expectObservable(coldPrice$, subscribedAfter).toBe(coldAfter, values)
      expectSubscriptions(hot$.subscriptions).toBe([first, subscribedAfter])
      expectSubscriptions(cold$.subscriptions).toBe([first, secondOfCold])
    })
  })

  it('ends a depth stream too', () => {
    marbles(({ hot, expectObservable }) => {
      const client = createTestClient({ depths: { [mint]: hot('--X--d', depths) } })
      expectObservable(client.depth$(mint, 5)).toBe('          --(X|)', depths)
    })
  })
})

describe('a given stream that has ended', () => {
  it('is subscribed to again by a new subscriber', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const given$ = cold('   -a|', prices)
      const expected = '      -a|'
      const subscribedLate = '----^'
      const expectedLate = '  -----a|'
      const given1 = '        ^-!'
      const given2 = '        ----^-!'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic)).toBe(expected, prices)
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, prices)
      expectSubscriptions(given$.subscriptions).toBe([given1, given2])
    })
  })

  it('by an Rx error ends all its subscribers', () => {
    marbles(({ cold, expectObservable }) => {
      const given$ = cold('   -a-#', prices)
      const expected = '      -a-#'
      const subscribedLate = '--^'
      const expectedLate = '  --a#'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic)).toBe(expected, prices)
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, prices)
    })
  })

  it('synchronously gives each subscriber its values', () => {
    const client = createTestClient({ prices: { [topic]: of(price(topic, 1), price(topic, 2)) } })
    const received: number[][] = [[], []]
    for (const each of received)
      client
        .price$(topic)
        .pipe(orThrow())
        .subscribe(({ price }) => each.push(price))
    expect(received).toEqual([
      [1, 2],
      [1, 2],
    ])
  })
})

describe('a given stream without subscribers', () => {
  it('is left in the frame in which the last one leaves', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const given$ = hot('     a--b--c', prices)
      const subscribed = '     ^---!'
      const expected = '       a--b'
      const subscribedLate = ' -^---!'
      const expectedLate = '   -a-b'
      const givenSubscribed = '^----!'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic), subscribed).toBe(expected, prices)
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, prices)
      expectSubscriptions(given$.subscriptions).toBe(givenSubscribed)
    })
  })

  it('is left at once in real time', () => {
    const given$ = new Subject<Price>()
    const client = createTestClient({ prices: { [topic]: given$ } })
    const subscriptions = [client.price$(topic).subscribe(), client.price$(topic).subscribe()]
    expect(given$.observed).toBe(true)
    for (const subscription of subscriptions) subscription.unsubscribe()
    expect(given$.observed).toBe(false)
  })

  it('restarts for the next subscriber if it is cold, and continues if it is hot', () => {
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const hot$ = hot('      a--b--c--b', prices)
      const cold$ = cold('    a--b--c', prices)
      const subscribed = '    ^---!'
      const expected = '      a--b'
      const subscribedLate = '-----^'
      const expectedLate = '  ------c--b'
      const expectedX = '     x--x'
      const expectedLateX = ' -----x--x--x'
      const client = createTestClient({ prices: { [topic]: hot$, 'svc-0xcd': cold$ } })
      const coldValue$ = client.price$('svc-0xcd').pipe(map(() => 'x'))
      expectObservable(client.price$(topic), subscribed).toBe(expected, prices)
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, prices)
      expectObservable(coldValue$, subscribed).toBe(expectedX)
      expectObservable(coldValue$, subscribedLate).toBe(expectedLateX)
      expectSubscriptions(hot$.subscriptions).toBe([subscribed, subscribedLate])
      expectSubscriptions(cold$.subscriptions).toBe([subscribed, subscribedLate])
    })
  })

  it('may have a timer that is due in the frame in which the last subscriber leaves', () => {
    marbles(({ expectObservable }) => {
      const given$ = interval(10).pipe(map((index) => price(topic, index + 1)))
      const client = createTestClient({ prices: { [topic]: given$ } })
      const usd$ = client.price$(topic).pipe(
        orThrow(),
        map((each) => String(each.price)),
      )
      const subscribed20 = '^ 19ms !'
      const expected20 = '  10ms 1'
      const subscribed30 = '^ 29ms !'
      const expected30 = '  10ms 1 9ms 2'
      const taken = '       10ms 1 9ms (2|)'
      expectObservable(usd$, subscribed20).toBe(expected20)
      expectObservable(usd$, subscribed30).toBe(expected30)
      expectObservable(usd$.pipe(take(2))).toBe(taken)
    })
  })

  it('may be synchronous and endless', () => {
    const given$ = of(price(topic, 1)).pipe(repeat())
    const client = createTestClient({ prices: { [topic]: given$ } })
    let received = 0
    for (let each = 0; each < 2; each++) {
      client
        .price$(topic)
        .pipe(take(3))
        .subscribe(() => received++)
    }
    expect(received).toBe(6)
  })
})

describe('a subscriber of the frame in which the last one leaves', () => {
  it('takes the subscription over, and receives the current price at once', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const given$ = hot('     a--b------c', prices)
      const expected = '       a--(bb)---(c|)'
      const givenSubscribed = '^---------!'
      const client = createTestClient({ prices: { [topic]: given$ } })
      const firstTwo$ = client.price$(topic).pipe(take(2))
      expectObservable(concat(firstTwo$, firstTwo$)).toBe(expected, prices)
      expectSubscriptions(given$.subscriptions).toBe(givenSubscribed)
    })
  })

  it('gets a depth for each price by a switchMap, from a cold depth stream too', () => {
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const price$ = hot(' a-b-c-a-b-c', prices)
      const given$ = cold('---d---e', depths)
      const subscribed = ' ^----------!'
      const expected = '   ---dd-dee-e'
      const client = createTestClient({ prices: { [topic]: price$ }, depths: { [mint]: given$ } })
      const depth$ = client.price$(topic).pipe(switchMapRight(() => client.depth$(mint, 1000)))
      expectObservable(depth$, subscribed).toBe(expected, depths)
      expectSubscriptions(given$.subscriptions).toBe(subscribed)
    })
  })
})

describe('a handler', () => {
  const reported = collectUnhandledErrors()

  it('that throws affects no other subscriber', () => {
    const given$ = new Subject<Price>()
    const client = createTestClient({ prices: { [topic]: given$ } })
    const received: number[] = []
    client.price$(topic).subscribe(() => {
      throw new Error('handler')
    })
    const usd$ = client.price$(topic).pipe(
      orThrow(),
      map((each) => each.price),
    )
    usd$.subscribe((usd) => received.push(usd))
    given$.next(price(topic, 1))
    given$.next(price(topic, 2))
    expect(received).toEqual([1, 2])
    return timer(1).forEach(() => expect(reported.map(String)).toEqual(['Error: handler', 'Error: handler']))
  })

  it('may unsubscribe itself and others', () => {
    const given$ = new Subject<Price>()
    const client = createTestClient({ prices: { [topic]: given$ } })
    const received: string[] = []
    const subscriptions: Subscription[] = []
    const subscribe = (name: string, onNext: () => void): void => {
      subscriptions.push(
        client.price$(topic).subscribe(() => {
          received.push(name)
          onNext()
        }),
      )
    }
    subscribe('first', () => subscriptions.slice(0, 2).forEach((each) => each.unsubscribe()))
    subscribe('second', () => undefined)
    subscribe('third', () => undefined)
    given$.next(price(topic, 1))
    given$.next(price(topic, 2))
    expect(received).toEqual(['first', 'third', 'third'])
  })

  it('may close the client', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const given$ = hot('     -a-b', prices)
      const expected = '       -|'
      const givenSubscribed = '^!'
      const client = createTestClient({ prices: { [topic]: given$ } })
      client.price$(topic).subscribe(() => void client.close())
      expectObservable(client.price$(topic)).toBe(expected)
      expectSubscriptions(given$.subscriptions).toBe(givenSubscribed)
    })
  })
})

describe('inspect()', () => {
  it('returns one topic with its subscribers and the age of its price, which a late subscriber does not change', () => {
    marbles(({ hot, cold, expectObservable }) => {
      const client = createTestClient({ prices: { [topic]: hot('a----S', prices) } })
      const expectTopic = (marble: string, expected: object): unknown =>
        cold(marble).subscribe(() => expect(client.inspect().topics).toEqual([{ topic, ...expected }]))
      expectObservable(client.price$(topic))
      expectObservable(client.price$('svc-0xAB'), '             ---^')
      expectTopic('                                             ----x', {
        subscribers: 2,
        state: 'live',
        lastPriceAgeMs: 4,
      })
      expectObservable(client.price$(topic), '                  ------^')
      expectTopic('                                             -------x', {
        subscribers: 3,
        state: 'stale',
        lastPriceAgeMs: 7,
      })
    })
  })

  it('returns the latest result of each poll', () => {
    marbles(({ hot, cold, expectObservable }) => {
      const client = createTestClient({ depths: { [mint]: hot('-d---f', depths) } })
      expectObservable(client.depth$(mint, 5))
      expectObservable(client.depth$(mint, 7), '               ---^')
      cold('                                                   ------x').subscribe(() => {
        const result = { mint, subscribers: 1, lastResult: 'Timeout', lastResultAgeMs: 1 }
        expect(client.inspect().polls).toEqual([
          { ...result, interval: 5 },
          { ...result, interval: 7 },
        ])
      })
    })
  })

  it('returns the current status', () => {
    marbles(({ hot, cold }) => {
      const status$ = hot('o-w', statuses)
      const check$ = cold('---x')
      const client = createTestClient({ status$ })
      client.status$.subscribe()
      check$.subscribe(() => expect(client.inspect().status).toEqual(statuses['w']))
    })
  })
})

describe('price and depth of a stream with subscribers', () => {
  it('resolve to the current price and the latest result', async () => {
    const [prices$, depths$] = [new Subject<Price>(), new Subject<Depth>()]
    const client = createTestClient({ prices: { [topic]: prices$ }, depths: { [mint]: depths$ } })
    client.price$(topic).subscribe()
    client.depth$(mint, 5).subscribe()
    prices$.next(price(topic, 1))
    depths$.next(depth(mint, { price: 2 }))
    expect(await client.price(topic)()).toEqual(right(price(topic, 1, { epoch: 0 })))
    expect(await client.depth(mint)()).toEqual(right(depth(mint, { price: 2 })))
  })
})

describe('stamp', () => {
  it('keeps the time of emission of the price that a late subscriber receives', () => {
    marbles(({ hot, expectObservable }) => {
      const given$ = hot('    -a', prices)
      const expected = '      -a'
      const subscribedLate = '---^'
      const expectedLate = '  ---a'
      const client = createTestClient({ prices: { [topic]: given$ }, stamp: true })
      const a = right(price(topic, 1, { receivedAt: 1 }))
      expectObservable(client.price$(topic)).toBe(expected, { a })
      expectObservable(client.price$(topic), subscribedLate).toBe(expectedLate, { a })
    })
  })
})
