import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, EMPTY, firstValueFrom, map, NEVER, of, throwError, timer } from 'rxjs'
import type {
  Address,
  Client,
  ConnectionStatus,
  Depth,
  DepthError,
  Topic,
  UncorrelatedError,
} from 'svc-streams'
import { combineFresh, rights } from 'svc-streams/operators'
import {
  createTestClient,
  depth,
  disconnected,
  price,
  stale,
  timeout,
  unauthorized,
} from 'svc-streams/testing'
import { describe, expect, it, vi } from 'vitest'
import { leftWith, marbles } from '../support/time/marbles.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const topic: Topic = 'svc-0xab'
const other: Topic = 'svc-0xcd'
const mint: Address = '0xab'

const unhandled = collectUnhandledErrors()

const down = disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })
const open: ConnectionStatus = { _tag: 'Open', epoch: 1, since: 0 }
const closed: ConnectionStatus = { _tag: 'Closed' }

/** An example of code that uses a client. */
const doubled$ = (client: Client) =>
  client.price$(topic).pipe(
    rights(),
    map((value) => value.price * 2),
  )

describe('price$', () => {
  it('emits the stream of the topic, whose values are prices or `Either`s', () => {
    marbles(({ hot, expectObservable }) => {
      const values = {
        a: price(topic, 12.5),
        b: right(price(topic, 13)),
        c: left(down),
        d: left(stale(topic, 5, undefined)),
      }
      const given$ = hot('--a-b-c-d-|', values)
      const expected = '  --a-b-c-d-|'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(client.price$(topic)).toBe(expected, { ...values, a: right(values.a) })
    })
  })

  it('works with code that uses a client', () => {
    marbles(({ hot, expectObservable }) => {
      const given$ = hot('--a-b', { a: price(topic, 1), b: price(topic, 2) })
      const expected = '  --a-b'
      const client = createTestClient({ prices: { [topic]: given$ } })
      expectObservable(doubled$(client)).toBe(expected, { a: 2, b: 4 })
    })
  })

  it('finds a topic in any case and emits the spelling of the caller', () => {
    marbles(({ cold, expectObservable }) => {
      const values = { a: price('svc-0xAb', 1), l: left(stale('svc-0xAb', 5, undefined)) }
      const given$ = cold('al', values)
      const expected = '   al'
      const client = createTestClient({ prices: { 'svc-0xAb': given$ } })
      const topic = 'svc-0xaB'
      expectObservable(client.price$(topic)).toBe(expected, {
        a: right(price(topic, 1)),
        l: leftWith({ _tag: 'Stale', topic }),
      })
    })
  })

  it('emits `InvalidTopic` for a malformed topic', () => {
    marbles(({ expectObservable }) => {
      for (const name of ['foo', '', 'svc-0x', 'svc-0xg', '__proto__', 'constructor', 'toString']) {
        const i = leftWith({ _tag: 'InvalidTopic', topic: name })
        expectObservable(createTestClient().price$(name as Topic)).toBe('(i|)', { i })
      }
    })
  })

  it.each([undefined, null, 5, Symbol('x'), {}])('emits `InvalidTopic` for %o', (value) => {
    const events: unknown[] = []
    createTestClient()
      .price$(value as never)
      .subscribe((event) => events.push(event))
    expect(events).toMatchObject([left({ _tag: 'InvalidTopic' })])
  })

  it('emits `SubscriptionRejected` for a topic without a stream', () => {
    marbles(({ expectObservable }) => {
      const r = leftWith({ _tag: 'SubscriptionRejected', topic: other })
      expectObservable(createTestClient({ prices: { [topic]: NEVER } }).price$(other)).toBe('(r|)', { r })
      expectObservable(createTestClient().price$(other)).toBe('(r|)', { r })
    })
  })
})

describe('depth$', () => {
  it('emits the stream of the mint, in any case and for any interval', () => {
    marbles(({ hot, expectObservable }) => {
      const values = { a: depth('0xAB'), b: left(unauthorized('Unauthorized')) }
      const client = createTestClient({ depths: { '0xAB': hot('--a-b-|', values) } })
      const expected = (as: Address) => ({ ...values, a: right(depth(as)) })
      expectObservable(client.depth$(mint, 100)).toBe('        --a-b-|', expected(mint))
      expectObservable(client.depth$('0xAB', 5)).toBe('        --a-b-|', expected('0xAB'))
    })
  })

  it('emits `InvalidMint` or `InvalidInterval` for an invalid argument', () => {
    marbles(({ expectObservable }) => {
      const client = createTestClient({ depths: { [mint]: NEVER } })
      const values = {
        m: leftWith({ _tag: 'InvalidMint', mint: 'foo' }),
        i: leftWith({ _tag: 'InvalidInterval', interval: 0 }),
      }
      expectObservable(client.depth$('foo' as Address, 100)).toBe('(m|)', values)
      expectObservable(client.depth$(mint, 0)).toBe('(i|)', values)
    })
  })

  it.each([undefined, null, 5, Symbol('x'), {}])(
    'emits an error for the mint or the interval %o',
    (value) => {
      const tags: string[] = []
      const collect = (event: Either<DepthError, Depth>) =>
        tags.push(isLeft(event) ? event.left._tag : 'Right')
      createTestClient()
        .depth$(value as never, 100)
        .subscribe(collect)
      const interval = value === 5 ? NaN : value
      createTestClient()
        .depth$(mint, interval as never)
        .subscribe(collect)
      expect(tags).toEqual(['InvalidMint', 'InvalidInterval'])
    },
  )

  it('emits `UnsupportedPair` for a mint without a stream', () => {
    marbles(({ expectObservable }) => {
      const u = leftWith({ _tag: 'UnsupportedPair', base: mint })
      expectObservable(createTestClient().depth$(mint, 100)).toBe('(u|)', { u })
    })
  })
})

describe('price and depth', () => {
  it('resolve to the first price of the stream with epoch 0', async () => {
    const prices = { [topic]: of(left(down), price(topic, 1), price(topic, 2)) }
    expect(await createTestClient({ prices }).price(topic)()).toEqual(right(price(topic, 1, { epoch: 0 })))
  })

  it('resolve to a `NetworkError` when the stream completes without a price', async () => {
    const prices = { [topic]: of(left(down)), [other]: EMPTY }
    const client = createTestClient({ prices })
    expect(await client.price(topic)()).toEqual(leftWith({ _tag: 'NetworkError' }))
    expect(await client.price(other)()).toEqual(leftWith({ _tag: 'NetworkError' }))
  })

  it('resolve to an error for a malformed topic or mint', async () => {
    const client = createTestClient()
    expect(await client.price('foo' as Topic)()).toEqual(leftWith({ _tag: 'InvalidTopic', topic: 'foo' }))
    expect(await client.depth('foo' as Address)()).toEqual(leftWith({ _tag: 'InvalidMint', mint: 'foo' }))
  })

  it('resolve to the first depth of the stream, or to its first error', async () => {
    const depths = { '0xab': of(depth(mint)), '0xcd': of(left(timeout(5)), depth('0xcd')) }
    const client = createTestClient({ depths })
    expect(await client.depth(mint)()).toEqual(right(depth(mint)))
    expect(await client.depth('0xcd')()).toEqual(left(timeout(5)))
    expect(await client.depth('0xef')()).toEqual(leftWith({ _tag: 'UnsupportedPair' }))
  })
})

describe('stamp', () => {
  it('sets `receivedAt` of each price to the time of its emission', () => {
    marbles(({ hot, expectObservable }) => {
      const values = { a: price(topic, 1), b: right(price(topic, 2, { receivedAt: 5 })), l: left(down) }
      const client = createTestClient({ prices: { [topic]: hot('--a-b-l-a|', values) }, stamp: true })
      expectObservable(client.price$(topic)).toBe('             --x-y-l-z|', {
        x: right(price(topic, 1, { receivedAt: 2 })),
        y: right(price(topic, 2, { receivedAt: 4 })),
        l: left(down),
        z: right(price(topic, 1, { receivedAt: 8 })),
      })
    })
  })

  it('sets `receivedAt` of each depth, and keeps the `timestamp` of the service', () => {
    marbles(({ hot, expectObservable }) => {
      const values = { a: depth(mint), b: right(depth(mint)), l: left(timeout(5)) }
      const given$ = hot('--a-b-l', values)
      const expected = '  --x-y-l'
      const client = createTestClient({ depths: { [mint]: given$ }, stamp: true })
      expectObservable(client.depth$(mint, 100)).toBe(expected, {
        x: right(depth(mint, { receivedAt: 2 })),
        y: right(depth(mint, { receivedAt: 4 })),
        l: left(timeout(5)),
      })
    })
  })

  it('sets `receivedAt` of the last price of a `Stale` to the start of its silence', () => {
    marbles(({ hot, expectObservable }) => {
      const values = {
        a: price(topic, 1),
        s: left(stale(topic, 3, price(topic, 1))),
        n: left(stale(topic, 3, undefined)),
      }
      const client = createTestClient({ prices: { [topic]: hot('--a--s-n', values) }, stamp: true })
      expectObservable(client.price$(topic)).toBe('             --x--y-n', {
        x: right(price(topic, 1, { receivedAt: 2 })),
        y: left(stale(topic, 3, price(topic, 1, { receivedAt: 2 }))),
        n: values.n,
      })
    })
  })

  it('does not change the given values, and is false by default', () => {
    marbles(({ cold, expectObservable }) => {
      const a = price(topic, 1)
      const prices = { [topic]: cold('--a', { a }) }
      const expected = '              --x'
      expectObservable(createTestClient({ prices, stamp: true }).price$(topic)).toBe(expected, {
        x: right({ ...a, receivedAt: 2 }),
      })
      expectObservable(createTestClient({ prices }).price$(topic)).toBe(expected, { x: right(a) })
      expectObservable(createTestClient({ prices, stamp: false }).price$(topic)).toBe(expected, {
        x: right(a),
      })
    })
  })

  it('sets `receivedAt` of the values of `price` and `depth`, in real time too', async () => {
    const client = createTestClient({
      prices: { [topic]: of(price(topic, 1)) },
      depths: { [mint]: of(depth(mint)) },
      stamp: true,
    })
    vi.useFakeTimers({ now: 1_700_000_000_000 })
    try {
      const receivedAt = 1_700_000_000_000
      expect(await client.price(topic)()).toEqual(right(price(topic, 1, { epoch: 0, receivedAt })))
      expect(await client.depth(mint)()).toEqual(right(depth(mint, { receivedAt })))
    } finally {
      vi.useRealTimers()
    }
  })

  it('makes the skew of two streams testable', () => {
    marbles(({ hot, expectObservable }) => {
      const price$ = hot('-a-----a', { a: price(topic, 1) })
      const depth$ = hot('--d------d', { d: depth(mint) })
      const expected = '  mmf----s-f'
      const client = createTestClient({
        prices: { [topic]: price$ },
        depths: { [mint]: depth$ },
        stamp: true,
      })
      const pair$ = combineFresh(
        { price: client.price$(topic), depth: client.depth$(mint, 100) },
        { maxSkew: 3 },
      ).pipe(map((event) => (isLeft(event) ? event.left.why : 'fresh')))
      expectObservable(pair$).toBe(expected, { m: 'missing', f: 'fresh', s: 'skew' })
    })
  })

  it.each([1, 'true', null])('throws a ConfigurationError for %o', (stamp) => {
    expect(() => createTestClient({ stamp: stamp as never })).toThrow('stamp: expected true or false')
  })
})

describe('status$ and errors$', () => {
  it('emit Open and nothing else by default, and complete on close', () => {
    marbles(({ cold, expectObservable }) => {
      const client = createTestClient()
      const closing$ = cold('--c')
      const states = '       o-(c|)'
      const errors = '       --|'
      closing$.subscribe(() => void client.close())
      expectObservable(client.status$).toBe(states, { o: open, c: closed })
      expectObservable(client.errors$).toBe(errors)
    })
  })

  it('emit the given streams and complete on close', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' }
      const error: UncorrelatedError = { _tag: 'UncorrelatedError', message: '', kind: 'binary', input: '' }
      const status$ = hot('  -w-o-w', { w: waiting, o: open })
      const errors$ = hot('  --e--e', { e: error })
      const closing$ = cold('----c')
      const states = '       -w-o(c|)'
      const errors = '       --e-|'
      const client = createTestClient({ status$, errors$ })
      closing$.subscribe(() => void client.close())
      expectObservable(client.status$).toBe(states, { w: waiting, o: open, c: closed })
      expectObservable(client.errors$).toBe(errors, { e: error })
    })
  })
})

describe('close', () => {
  it('completes all streams; later calls emit ClientClosed', async () => {
    const completed: unknown[] = []
    const client = createTestClient({ prices: { [topic]: NEVER }, depths: { '0xab': NEVER } })
    client.price$(topic).subscribe({ complete: () => completed.push('price$') })
    client.depth$(mint, 100).subscribe({ complete: () => completed.push('depth$') })
    const requests = [client.price(topic)(), client.depth(mint)()]
    await client.close()
    await client.close()
    const closedError = leftWith({ _tag: 'ClientClosed' })
    expect(completed).toEqual(['price$', 'depth$'])
    expect(await Promise.all(requests)).toEqual([closedError, closedError])
    expect(await client.price(topic)()).toEqual(closedError)
    expect(client.inspect()).toEqual({ status: closed, lines: [], topics: [], polls: [] })
    marbles(({ expectObservable }) => {
      expectObservable(client.price$(topic)).toBe('(c|)', { c: closedError })
      expectObservable(client.depth$(mint, 100)).toBe('(c|)', { c: closedError })
      expectObservable(client.status$).toBe('(c|)', { c: closed })
      expectObservable(client.errors$).toBe('|')
    })
  })

  it('is called by `Symbol.asyncDispose`', async () => {
    const client = createTestClient()
    await client[Symbol.asyncDispose]()
    expect(client.inspect().status).toEqual(closed)
  })
})

describe('a test client', () => {
  it('has the chainId of its environment', () => {
    expect(createTestClient().chainId).toBe(42161)
    expect(createTestClient({ environment: 'testnet' }).chainId).toBe(421614)
    expect(createTestClient().inspect()).toEqual({ status: open, lines: [], topics: [], polls: [] })
  })

  it('reports in inspect() the status that its stream emits synchronously', () => {
    const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' }
    expect(createTestClient({ status$: of(open, waiting) }).inspect().status).toEqual(waiting)
    expect(createTestClient({ status$: NEVER }).inspect().status).toEqual(open)
  })

  it('reports no unhandled error in inspect() after an Rx error of its status', async () => {
    const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' }
    const status$ = concat(
      of(waiting),
      throwError(() => new Error('from the test')),
    )
    expect(createTestClient({ status$ }).inspect().status).toEqual(waiting)
    await firstValueFrom(timer(1))
    expect(unhandled).toEqual([])
  })

  it('passes an Rx error of a given stream through to the code under test', () => {
    const thrown = new Error('from the test')
    marbles(({ expectObservable }) => {
      const client = createTestClient({ prices: { [topic]: throwError(() => thrown) } })
      expectObservable(client.price$(topic)).toBe('#', undefined, thrown)
    })
  })
})
