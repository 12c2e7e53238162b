import { left, right } from 'fp-ts/lib/Either.js'
import { EMPTY, map, NEVER, of, throwError } from 'rxjs'
import type { Address, Client, ConnectionStatus, Topic, UncorrelatedError } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import {
  createTestClient,
  depth,
  disconnected,
  price,
  stale,
  timeout,
  unauthorized,
} from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { fails, marbles } from '../support/marbles.js'

const topic: Topic = 'svc-0xab'
const other: Topic = 'svc-0xcd'
const mint: Address = '0xab'

const down = disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 5 })
const open: ConnectionStatus = { _tag: 'Open', epoch: 1, since: 0 }
const closed: ConnectionStatus = { _tag: 'Closed' }

/** What somebody writes for a client. */
const doubled$ = (client: Client) =>
  client.price$(topic).pipe(
    rights(),
    map((value) => value.price * 2),
  )

describe('price$', () => {
  it('is the stream given for the topic, bare prices and `Either`s alike', () => {
    marbles(({ hot, expectObservable }) => {
      const values = {
        a: price(topic, 12.5),
        b: right(price(topic, 13)),
        c: left(down),
        d: left(stale(topic, 5, undefined)),
      }
      const client = createTestClient({ prices: { [topic]: hot('--a-b-c-d-|', values) } })
      expectObservable(client.price$(topic)).toBe('              --a-b-c-d-|', {
        ...values,
        a: right(values.a),
      })
    })
  })

  it('carries what is written for a client unchanged', () => {
    marbles(({ hot, expectObservable }) => {
      const client = createTestClient({
        prices: { [topic]: hot('--a-b', { a: price(topic, 1), b: price(topic, 2) }) },
      })
      expectObservable(doubled$(client)).toBe('                  --a-b', { a: 2, b: 4 })
    })
  })

  it('finds a topic in any case, and spells it as it is asked for', () => {
    marbles(({ cold, expectObservable }) => {
      const values = { a: price('svc-0xAb', 1), l: left(stale('svc-0xAb', 5, undefined)) }
      const client = createTestClient({ prices: { 'svc-0xAb': cold('al', values) } })
      const topic = 'svc-0xaB'
      expectObservable(client.price$(topic)).toBe('al', {
        a: right(price(topic, 1)),
        l: fails({ _tag: 'Stale', topic }),
      })
    })
  })

  it('is `InvalidTopic` for what is none', () => {
    marbles(({ expectObservable }) => {
      for (const name of ['foo', '', 'svc-0x', 'svc-0xg', '__proto__', 'constructor', 'toString']) {
        const i = fails({ _tag: 'InvalidTopic', topic: name })
        expectObservable(createTestClient().price$(name as Topic)).toBe('(i|)', { i })
      }
    })
  })

  it('is `SubscriptionRejected` for a topic that nothing was given for', () => {
    marbles(({ expectObservable }) => {
      const r = fails({ _tag: 'SubscriptionRejected', topic: other })
      expectObservable(createTestClient({ prices: { [topic]: NEVER } }).price$(other)).toBe('(r|)', { r })
      expectObservable(createTestClient().price$(other)).toBe('(r|)', { r })
    })
  })
})

describe('depth$', () => {
  it('is the stream given for the mint, in any case, whatever the interval', () => {
    marbles(({ hot, expectObservable }) => {
      const values = { a: depth('0xAB'), b: left(unauthorized('Unauthorized')) }
      const client = createTestClient({ depths: { '0xAB': hot('--a-b-|', values) } })
      const spelled = (as: Address) => ({ ...values, a: right(depth(as)) })
      expectObservable(client.depth$(mint, 100)).toBe('        --a-b-|', spelled(mint))
      expectObservable(client.depth$('0xAB', 5)).toBe('        --a-b-|', spelled('0xAB'))
    })
  })

  it('is `InvalidMint` or `InvalidInterval` for what is none', () => {
    marbles(({ expectObservable }) => {
      const client = createTestClient({ depths: { [mint]: NEVER } })
      const values = {
        m: fails({ _tag: 'InvalidMint', mint: 'foo' }),
        i: fails({ _tag: 'InvalidInterval', interval: 0 }),
      }
      expectObservable(client.depth$('foo' as Address, 100)).toBe('(m|)', values)
      expectObservable(client.depth$(mint, 0)).toBe('(i|)', values)
    })
  })

  it('is `UnsupportedPair` for a mint that nothing was given for', () => {
    marbles(({ expectObservable }) => {
      const u = fails({ _tag: 'UnsupportedPair', base: mint })
      expectObservable(createTestClient().depth$(mint, 100)).toBe('(u|)', { u })
    })
  })
})

describe('price and depth', () => {
  it('are the first price of the stream, as if fetched over HTTP', async () => {
    const prices = { [topic]: of(left(down), price(topic, 1), price(topic, 2)) }
    expect(await createTestClient({ prices }).price(topic)()).toEqual(right(price(topic, 1, { epoch: 0 })))
  })

  it('are a `NetworkError` where the stream ends without a price', async () => {
    const prices = { [topic]: of(left(down)), [other]: EMPTY }
    const client = createTestClient({ prices })
    expect(await client.price(topic)()).toEqual(fails({ _tag: 'NetworkError' }))
    expect(await client.price(other)()).toEqual(fails({ _tag: 'NetworkError' }))
  })

  it('are what is wrong with a topic or a mint that is none', async () => {
    const client = createTestClient()
    expect(await client.price('foo' as Topic)()).toEqual(fails({ _tag: 'InvalidTopic', topic: 'foo' }))
    expect(await client.depth('foo' as Address)()).toEqual(fails({ _tag: 'InvalidMint', mint: 'foo' }))
  })

  it('are the first depth of the stream, or its first failure', async () => {
    const depths = { '0xab': of(depth(mint)), '0xcd': of(left(timeout(5)), depth('0xcd')) }
    const client = createTestClient({ depths })
    expect(await client.depth(mint)()).toEqual(right(depth(mint)))
    expect(await client.depth('0xcd')()).toEqual(left(timeout(5)))
    expect(await client.depth('0xef')()).toEqual(fails({ _tag: 'UnsupportedPair' }))
  })
})

describe('status$ and errors$', () => {
  it('are open and silent unless given, until the close', () => {
    marbles(({ cold, expectObservable }) => {
      const client = createTestClient()
      cold('--c').subscribe(() => void client.close())
      expectObservable(client.status$).toBe('o-(c|)', { o: open, c: closed })
      expectObservable(client.errors$).toBe('--|')
    })
  })

  it('are what is given, until the close', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' }
      const error: UncorrelatedError = { _tag: 'UncorrelatedError', message: '', kind: 'binary', input: '' }
      const client = createTestClient({
        status$: hot('            -w-o-w', { w: waiting, o: open }),
        errors$: hot('            --e--e', { e: error }),
      })
      cold('                      ----c').subscribe(() => void client.close())
      expectObservable(client.status$).toBe('-w-o(c|)', { w: waiting, o: open, c: closed })
      expectObservable(client.errors$).toBe('--e-|', { e: error })
    })
  })
})

describe('close', () => {
  it('completes what runs, and is what any client is after it', async () => {
    const heard: unknown[] = []
    const client = createTestClient({ prices: { [topic]: NEVER }, depths: { '0xab': NEVER } })
    client.price$(topic).subscribe({ complete: () => heard.push('price$') })
    client.depth$(mint, 100).subscribe({ complete: () => heard.push('depth$') })
    const asked = [client.price(topic)(), client.depth(mint)()]
    await client.close()
    await client.close()
    const closedError = fails({ _tag: 'ClientClosed' })
    expect(heard).toEqual(['price$', 'depth$'])
    expect(await Promise.all(asked)).toEqual([closedError, closedError])
    expect(await client.price(topic)()).toEqual(closedError)
    expect(client.inspect()).toEqual({ status: closed, topics: [], polls: [] })
    marbles(({ expectObservable }) => {
      expectObservable(client.price$(topic)).toBe('(c|)', { c: closedError })
      expectObservable(client.depth$(mint, 100)).toBe('(c|)', { c: closedError })
      expectObservable(client.status$).toBe('(c|)', { c: closed })
      expectObservable(client.errors$).toBe('|')
    })
  })

  it('comes with the end of an `await using`', async () => {
    const client = createTestClient()
    await client[Symbol.asyncDispose]()
    expect(client.inspect().status).toEqual(closed)
  })
})

describe('a test client', () => {
  it('is of an environment', () => {
    expect(createTestClient().chainId).toBe(42161)
    expect(createTestClient({ environment: 'testnet' }).chainId).toBe(421614)
    expect(createTestClient().inspect()).toEqual({ status: open, topics: [], polls: [] })
  })

  it('tells the status that its stream tells at once, if it does', () => {
    const waiting: ConnectionStatus = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '' }
    expect(createTestClient({ status$: of(open, waiting) }).inspect().status).toEqual(waiting)
    expect(createTestClient({ status$: NEVER }).inspect().status).toEqual(open)
  })

  it('passes an error on that a stream was given: what is under test must see it', () => {
    const thrown = new Error('of the test')
    marbles(({ expectObservable }) => {
      const client = createTestClient({ prices: { [topic]: throwError(() => thrown) } })
      expectObservable(client.price$(topic)).toBe('#', undefined, thrown)
    })
  })
})
