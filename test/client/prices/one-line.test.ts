import { concat, EMPTY, merge, NEVER, of, switchMap, take, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  a,
  priceAt,
  b,
  leftWith,
  marbles,
  createScriptedClient,
  subscribeFrame,
  unsubscribeFrame,
} from '../../support/time/marbles.js'
import { server } from '../../support/time/scripted-socket.js'

const moves = {
  o: server.opens,
  A: server.confirms(a),
  B: server.confirms(a, b),
  C: server.confirms(b),
  '1': server.prices(a, 1),
  '2': server.prices(a, 2),
  '3': server.prices(b, 3),
  x: server.closes(1012, 'restarting'),
}

const frames = { a: subscribeFrame(a), b: subscribeFrame(b), A: unsubscribeFrame(a), B: unsubscribeFrame(b) }

describe('one line', () => {
  it('sends one subscribe frame per topic, and emits the latest price to a late subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  --oA-1---2', moves)
      const subscribed = '    ^--------------!'
      const expected = '      -----1---2'
      const subscribedLate = '-------^-------!'
      const expectedLate = '  -------1-2'
      const sent = '          --a'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(5, a, 1),
        '2': priceAt(9, a, 2),
      })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, {
        '1': priceAt(5, a, 1),
        '2': priceAt(9, a, 2),
      })
      expectObservable(socket.sent$, subscribed).toBe(sent, frames)
      expectObservable(socket.dials$, subscribed).toBe('1', { '1': 1 })
    })
  })

  it('shares topics that differ only in case, and emits each as its subscriber wrote it', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('--oA-1', moves)
      const subscribed = '  ^-------!'
      const expected = '    -----1'
      const sent = '        --a'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$('svc-0xAA'), subscribed).toBe(expected, {
        '1': priceAt(5, 'svc-0xAA', 1),
      })
      expectObservable(client.price$('svc-0xaa'), subscribed).toBe(expected, {
        '1': priceAt(5, 'svc-0xaa', 1),
      })
      expectObservable(socket.sent$, subscribed).toBe(sent, { a: subscribeFrame('svc-0xAA') })
    })
  })

  it('sends `unsubscribe` `linger` ms after the last subscriber unsubscribes, and closes the socket after the last topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  o-B13', moves)
      const subscribedA = '   ^----!'
      const expectedA = '     ---1'
      const subscribedB = '   ^---------!'
      const expectedB = '     ----3'
      const subscribedSent = '^ 100ms !'
      const sent = '          (ab) 21ms A 4ms B'
      const hangUps = '       30ms x'
      const states = '        (ico) 25ms i'
      const { client, socket } = createScriptedClient(script$, { linger: 20 })
      expectObservable(client.price$(a), subscribedA).toBe(expectedA, { '1': priceAt(3, a, 1) })
      expectObservable(client.price$(b), subscribedB).toBe(expectedB, { '3': priceAt(4, b, 3) })
      expectObservable(socket.sent$, subscribedSent).toBe(sent, frames)
      expectObservable(socket.hangUps$, subscribedSent).toBe(hangUps, { x: 1 })
      expectObservable(client.status$, subscribedSent).toBe(states, {
        i: { _tag: 'Idle' },
        c: { _tag: 'Connecting', attempt: 1 },
        o: { _tag: 'Open', epoch: 1, since: 0 },
      })
    })
  })

  it('sends no frame when a topic gets a new subscriber within `linger`', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  o-A1', moves)
      const subscribed = '    ^----!'
      const expected = '      ---1'
      const subscribedLate = '20ms ^ 40ms !'
      const expectedLate = '  20ms 1'
      const subscribedSent = '^ 70ms !'
      const { client, socket } = createScriptedClient(script$, { linger: 20 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(3, a, 1) })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { '1': priceAt(3, a, 1) })
      expectObservable(socket.sent$, subscribedSent).toBe('a', frames)
    })
  })

  it('closes a socket that is connecting, without a frame, when the last subscriber unsubscribes', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('-----o', moves)
      const subscribed = '  ^--!'
      const expected = '    ---x'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(socket.sent$).toBe('')
      expectObservable(socket.hangUps$).toBe(expected, { x: 1 })
    })
  })

  it('does not dial when all subscribers unsubscribe within the same tick', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = createScriptedClient(cold('o', moves))
      const completesAtOnce$ = merge(client.price$(a), client.price$(b)).pipe(take(0))
      expectObservable(completesAtOnce$).toBe('|')
      expectObservable(socket.dials$, '^---------').toBe('')
    })
  })

  it('sends no frame for a switch from A to B to A within one tick', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  o-A1--2', moves)
      const subscribed = '    ^--------!'
      const expected = '      ---1-12'
      const subscribedSent = '^-------!'
      const { client, socket } = createScriptedClient(script$, { linger: 0 })
      const topic$ = concat(of(a), timer(5).pipe(switchMap(() => of(b, a))), NEVER)
      expectObservable(topic$.pipe(switchMap((topic) => client.price$(topic))), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        '2': priceAt(6, a, 2),
      })
      expectObservable(socket.sent$, subscribedSent).toBe('a', frames)
    })
  })

  it('dials one socket for each `maxTopicsPerConnection` topics', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = (dial: number) =>
        cold('o-----', moves).pipe(switchMap(() => (dial > 2 ? EMPTY : concat(of(server.opens), NEVER))))
      const { client, socket } = createScriptedClient(script$, { maxTopicsPerConnection: 1 })
      expectObservable(merge(client.price$(a), client.price$(b)), '^----!').toBe('')
      expectObservable(socket.dials$, '^---!').toBe('(12)', { '1': 1, '2': 2 })
      expectObservable(socket.sent$, '^---!').toBe('(ab)', frames)
    })
  })
})

describe('a late subscriber of a topic', () => {
  it('receives the latest price of the current connection, never one from before a disconnect', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('    o-A1-x', moves)
      const second$ = cold('   o-A---2', moves)
      const subscribed = '     ^ 150ms !'
      const expected = '       ---1-x 130ms 2'
      const subscribedLate = ' 50ms ^---!'
      const expectedLate = '   50ms x'
      const subscribedLater = '133ms ^ 10ms !'
      const expectedLater = '  133ms x--2'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : second$))
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        x: leftWith({ _tag: 'Disconnected', code: 1012, reason: 'restarting', attempt: 1, retryInMs: 125 }),
        '2': priceAt(136, a, 2, 2),
      })
      // Subscribes during the retry delay, and again after the reconnect but before the first price.
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, {
        x: leftWith({ _tag: 'Disconnected', code: 1012 }),
      })
      expectObservable(client.price$(a), subscribedLater).toBe(expectedLater, {
        x: leftWith({ _tag: 'Disconnected', code: 1012 }),
        '2': priceAt(136, a, 2, 2),
      })
    })
  })

  it('receives `Stale` while the topic is stale, and then the next price', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  o-A1 60ms 2', moves)
      const subscribed = '    ^ 80ms !'
      const expected = '      ---1 29ms s 30ms 2'
      const subscribedLate = '43ms ^ 30ms !'
      const expectedLate = '  43ms s 20ms 2'
      const { client } = createScriptedClient(script$, { staleAfter: 30 })
      const stale = (silentForMs: number) => leftWith({ _tag: 'Stale', topic: a, silentForMs, last })
      const last = { topic: a, price: 1, receivedAt: 3, epoch: 1 }
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        s: stale(30),
        '2': priceAt(64, a, 2),
      })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, {
        s: stale(40),
        '2': priceAt(64, a, 2),
      })
    })
  })
})

describe('a topic without prices', () => {
  it('becomes stale `staleAfter` ms after its confirmation', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o----A', moves)
      const subscribed = '  ^ 80ms !'
      const expected = '    35ms s'
      const { client } = createScriptedClient(script$, { staleAfter: 30 })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        s: leftWith({ _tag: 'Stale', silentForMs: 30, last: undefined }),
      })
    })
  })

  it('becomes stale independently of other topics; an unchanged price also resets the deadline', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-B13 20ms 1 20ms 1', moves)
      const subscribed = '  ^ 50ms !'
      const expectedA = '   ---1 21ms 1 20ms 1'
      const expectedB = '   ----3 29ms s'
      const { client } = createScriptedClient(script$, { staleAfter: 30 })
      expectObservable(client.price$(a), subscribed).toBe(expectedA, { '1': expect.anything() as object })
      expectObservable(client.price$(b), subscribed).toBe(expectedB, {
        '3': expect.anything() as object,
        s: leftWith({ _tag: 'Stale', topic: b }),
      })
    })
  })

  it('becomes stale although it receives malformed frames', () => {
    marbles(({ cold, expectObservable }) => {
      const moreMoves = { ...moves, z: server.says(`{"topic":"${a}","price":0}`) }
      const script$ = cold('o-A1 20ms z', moreMoves)
      const subscribed = '  ^ 50ms !'
      const expected = '    ---1 20ms z 8ms s'
      const { client } = createScriptedClient(script$, { staleAfter: 30 })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        z: leftWith({ _tag: 'DecodeError' }),
        s: leftWith({ _tag: 'Stale' }),
      })
    })
  })

  it('emits `SubscriptionTimeout` with the recent error texts if it is not confirmed, and is requested again', () => {
    marbles(({ cold, expectObservable }) => {
      const moreMoves = { ...moves, e: server.says('Error: 0xcc is busy') }
      const script$ = cold('  o--e 60ms A', moreMoves)
      const subscribed = '    ^ 120ms !'
      const expected = '      50ms t'
      const subscribedSent = '^ 110ms !'
      const sent = '          a 49ms a'
      const subscribedLate = '55ms ^ 20ms !'
      const { client, socket } = createScriptedClient(script$, { confirmTimeout: 50 })
      const timedOut = (recent: string[]) =>
        leftWith({ _tag: 'SubscriptionTimeout', topic: a, afterMs: 50, recent })
      expectObservable(client.price$(a), subscribed).toBe(expected, { t: timedOut(['Error: 0xcc is busy']) })
      expectObservable(socket.sent$, subscribedSent).toBe(sent, frames)
      // `SubscriptionTimeout` is not replayed to a late subscriber.
      expectObservable(client.price$(a), subscribedLate).toBe('')
    })
  })
})
