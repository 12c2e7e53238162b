import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { createClient } from 'svc-streams'
import { price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { ManualTransport } from '../../support/manual-transport.js'
import { eventually } from '../../support/time/eventually.js'
import { a, createScriptedClient, leftWith, marbles, priceAt } from '../../support/time/marbles.js'
import { server } from '../../support/time/scripted-socket.js'

const aged = (usd: number, age: unknown) => server.says(JSON.stringify({ topic: a, price: usd, age }))

const moves = {
  o: server.opens,
  A: server.confirms(a),
  '1': server.prices(a, 1),
  '2': aged(2, 7),
  '3': aged(3, 20),
  '4': aged(4, 21),
  x: aged(5, -1),
}

const options = { staleAfter: 20, pingInterval: 100_000 }

const received = (usd: number, receivedAt: number) => right(price(a, usd, { receivedAt, epoch: 1 }))

const stale = (silentForMs: number, usd?: number, receivedAt?: number) =>
  leftWith({
    _tag: 'Stale',
    silentForMs,
    last: usd === undefined ? undefined : price(a, usd, { receivedAt: receivedAt ?? 0, epoch: 1 }),
  })

describe('a price with an age, from a gateway', () => {
  it('is received at now less the age, and the age counts toward staleAfter', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-2', moves)
      const subscribed = '  ^------------------------------!'
      const expected = '    ---2------------s'
      const { client } = createScriptedClient(script$, options)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '2': received(2, 3 - 7),
        s: stale(20, 2, 3 - 7),
      })
    })
  })

  it('is Stale and no value if its age is at least staleAfter, once until a current price follows', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oA-3-4-1-3', moves)
      const subscribed = '    ^----------!'
      const expected = '      ---s---1-t'
      const subscribedLate = '----^!'
      const expectedLate = '  ----s'
      const { client } = createScriptedClient(script$, options)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        s: stale(20, 3, 3 - 20),
        '1': priceAt(7, a, 1),
        t: stale(20, 3, 9 - 20),
      })
      // A late subscriber receives the same.
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { s: stale(21, 3, 3 - 20) })
    })
  })

  it('confirms its topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-2', moves)
      const subscribed = '  ^--------------!'
      const expected = '    --2'
      const { client } = createScriptedClient(script$, { ...options, confirmTimeout: 10 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { '2': received(2, 2 - 7) })
    })
  })

  it('is a DecodeError that names the age, if the age is no finite number of at least 0', () => {
    const invalid = fc.oneof(
      fc.double({ max: -Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom('1', null, true, [], {}, -1),
    )
    fc.assert(
      fc.property(invalid, (age) => {
        marbles(({ cold, expectObservable }) => {
          const script$ = cold('o2x', { ...moves, x: aged(5, age) })
          const subscribed = '  ^--!'
          const expected = '    -2x'
          const { client } = createScriptedClient(script$, options)
          const decodeError = leftWith({
            _tag: 'DecodeError',
            issues: [expect.objectContaining({ path: 'age', expected: 'a finite number of at least 0' })],
          })
          expectObservable(client.price$(a), subscribed).toBe(expected, {
            '2': received(2, 1 - 7),
            x: decodeError,
          })
        })
      }),
    )
  })

  it('does not keep the later prices of the topic from the fast path', async () => {
    const transport = new ManualTransport()
    const client = createClient({
      environment: 'testnet',
      priceBaseUrl: 'http://localhost:3000',
      webSocket: transport,
    })
    const prices: number[] = []
    client.price$(a).subscribe((event) => event._tag === 'Right' && prices.push(event.right.price))
    await eventually(() => expect(transport.sockets).toHaveLength(1))
    const socket = transport.lastSocket
    socket.open()
    await eventually(() => expect(socket.frames).toHaveLength(1))
    const isFast = (frame: object): boolean => {
      const text = JSON.stringify(frame)
      const isHandled = socket.listener.bytes(Buffer.from(text), 0, text.length)
      if (!isHandled) socket.deliver(text)
      return isHandled
    }
    expect(isFast({ topic: a, price: 1, age: 5 })).toBe(false)
    expect(isFast({ topic: a, price: 2 })).toBe(false)
    expect(isFast({ topic: a, price: 3 })).toBe(true)
    expect(isFast({ topic: a, price: 4, age: 5 })).toBe(false)
    expect(prices).toEqual([1, 2, 3, 4])
    await client.close()
  })
})
