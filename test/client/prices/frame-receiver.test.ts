import { map, type Observable } from 'rxjs'
import type { UncorrelatedError } from 'svc-streams'
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
import { server, type ServerMove } from '../../support/time/scripted-socket.js'

const pair = 'Invalid (exchange, base, quote) tuple: the service does not support the pair (0xAA, 0xdef)'

const moves = {
  o: server.opens,
  A: server.confirms(a),
  B: server.confirms(b),
  C: server.confirms(a, b),
  N: server.confirms(),
  '1': server.prices(a, 1),
  '2': server.prices(b, 2),
  '3': server.prices(a, 3),
  r: server.says(pair),
  e: server.says('Invalid request: no such topic'),
  f: server.says('Error: out of memory'),
}

const frames = { a: subscribeFrame(a), b: subscribeFrame(b), A: unsubscribeFrame(a), B: unsubscribeFrame(b) }

/** Formats each uncorrelated error as its kind, a space, and its input. */
const formatted$ = (errors$: Observable<UncorrelatedError>): Observable<string> =>
  errors$.pipe(map(({ kind, input }) => `${kind} ${input}`))

/** Expects that a frame after the confirmation of the topic is one uncorrelated error, and no event of the topic. */
const expectUncorrelated = (x: ServerMove, e: string): void =>
  marbles(({ cold, expectObservable }) => {
    const script$ = cold('oAx', { ...moves, x })
    const subscribed = '  ^------!'
    const errors = '      --e'
    const { client } = createScriptedClient(script$)
    expectObservable(client.price$(a), subscribed).toBe('')
    expectObservable(formatted$(client.errors$), subscribed).toBe(errors, { e })
  })

const rejected = (topic: string, reason: string) => leftWith({ _tag: 'SubscriptionRejected', topic, reason })

describe('an error text', () => {
  it('that contains the address of an unconfirmed topic rejects and completes that topic only', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-rB2', moves)
      const expected = '    --(r|)'
      const subscribed = '  ^--------!'
      const expectedB = '   ----2'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(a)).toBe(expected, { r: rejected(a, pair) })
      expectObservable(client.price$('svc-0xAA')).toBe(expected, { r: rejected('svc-0xAA', pair) })
      expectObservable(client.price$(b), subscribed).toBe(expectedB, { '2': priceAt(4, b, 2) })
      expectObservable(client.errors$).toBe('')
      expectObservable(socket.sent$, subscribed).toBe('(ab)', frames)
    })
  })

  it('without an address rejects the only pending topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-e', moves)
      const expected = '    --(r|)'
      const hangUps = '     --x'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(a)).toBe(expected, { r: rejected(a, 'Invalid request: no such topic') })
      expectObservable(client.errors$).toBe('')
      expectObservable(socket.hangUps$).toBe(hangUps, { x: 1 })
    })
  })

  it('without an address rejects the only pending topic among confirmed ones', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-e', moves)
      const subscribed = '  ^--------!'
      const expected = '    ---(r|)'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.price$(b)).toBe(expected, { r: rejected(b, 'Invalid request: no such topic') })
    })
  })

  it('without an address rejects no topic while two are pending; both `SubscriptionTimeout` errors contain it', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-ef', moves)
      const subscribed = '  ^ 20ms !'
      const expected = '    20ms t'
      const errors = '      --ef'
      const { client } = createScriptedClient(script$, { confirmTimeout: 20 })
      const recent = ['Invalid request: no such topic', 'Error: out of memory']
      const t = leftWith({ _tag: 'SubscriptionTimeout', recent })
      expectObservable(client.price$(a), subscribed).toBe(expected, { t })
      expectObservable(client.price$(b), subscribed).toBe(expected, { t })
      expectObservable(formatted$(client.errors$), subscribed).toBe(errors, {
        e: `error-text ${recent[0]!}`,
        f: `error-text ${recent[1]!}`,
      })
    })
  })

  it('without an address rejects no topic while an unsubscribed topic is unanswered too', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  o----e', moves)
      const subscribed = '    ^-!'
      const subscribedLate = '--^-----!'
      const subscribedSent = '^-------!'
      const sent = '          a-(Ab)'
      const errors = '        -----e'
      const { client, socket } = createScriptedClient(script$, { linger: 0 })
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.price$(b), subscribedLate).toBe('')
      expectObservable(socket.sent$, subscribedSent).toBe(sent, frames)
      expectObservable(formatted$(client.errors$), subscribedSent).toBe(errors, {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('without an address is dropped if the only unanswered topic is unsubscribed since', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('    o---B-e', moves)
      const subscribed = '      ^-!'
      const subscribedLate = '  -^--------!'
      const subscribedErrors = '^---------!'
      const { client } = createScriptedClient(script$, { linger: 0 })
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.price$(b), subscribedLate).toBe('')
      expectObservable(client.errors$, subscribedErrors).toBe('')
    })
  })

  it('that contains the address of a live topic is uncorrelated and does not affect the topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-r13', moves)
      const subscribed = '  ^---------!'
      const expected = '    ----13'
      const errors = '      ---r'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(4, a, 1),
        '3': priceAt(5, a, 3),
      })
      expectObservable(formatted$(client.errors$), subscribed).toBe(errors, { r: `error-text ${pair}` })
    })
  })

  it('that contains an unknown address does not reject the only pending topic', () => {
    marbles(({ cold, expectObservable }) => {
      const moreMoves = { ...moves, x: server.says('no such token: 0xcc') }
      const script$ = cold('o-x1', moreMoves)
      const subscribed = '  ^---------!'
      const expected = '    ---1'
      const errors = '      --x'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(3, a, 1) })
      expectObservable(formatted$(client.errors$), subscribed).toBe(errors, {
        x: 'error-text no such token: 0xcc',
      })
    })
  })

  it('is truncated to 2 kB in `reason`, and `message` is one line', () => {
    const long = `0xaa ${'line\n'.repeat(1000)}`
    marbles(({ cold, expectObservable }) => {
      const moreMoves = { ...moves, x: server.says(long) }
      const script$ = cold('o-x', moreMoves)
      const expected = '    --(r|)'
      const { client } = createScriptedClient(script$)
      const r = expect.objectContaining({
        left: expect.objectContaining({
          reason: long.slice(0, 2048),
          message: expect.not.stringContaining('\n') as string,
        }) as object,
      }) as object
      expectObservable(client.price$(a)).toBe(expected, { r })
    })
  })

  it('rejects a topic whose address follows after the first 2 kB', () => {
    marbles(({ cold, expectObservable }) => {
      const text = `${'x'.repeat(5000)} 0xAA`
      const script$ = cold('o-x', { ...moves, x: server.says(text) })
      const expected = '    --(r|)'
      const subscribed = '  ^--------!'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a)).toBe(expected, { r: rejected(a, text.slice(0, 2048)) })
      expectObservable(client.price$(b), subscribed).toBe('')
    })
  })

  it('is uncorrelated when no topic is pending', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-e-1', moves)
      const subscribed = '  ^---------!'
      const expected = '    -----1'
      const errors = '      ---e'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(5, a, 1) })
      expectObservable(formatted$(client.errors$), subscribed).toBe(errors, {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('is uncorrelated when it is empty and no topic is pending', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-x', { ...moves, x: server.says('') })
      const subscribed = '  ^---------!'
      const expected = '    ---e'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(formatted$(client.errors$), subscribed).toBe(expected, { e: 'error-text ' })
    })
  })
})

describe('a rejected topic', () => {
  it('is requested again on the same connection for a new subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oB-r---A1', moves)
      const subscribed = '    ^------------!'
      const expected = '      ---(r|)'
      const subscribedLate = '-----^-------!'
      const expectedLate = '  --------1'
      const sent = '          (ba)-a'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(b), subscribed).toBe('')
      expectObservable(client.price$(a)).toBe(expected, { r: rejected(a, pair) })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { '1': priceAt(8, a, 1) })
      expectObservable(socket.sent$, subscribed).toBe(sent, frames)
    })
  })

  it('causes no unsubscribe frame and does not linger', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oB-r', moves)
      const subscribed = '    ^ 30ms !'
      const expected = '      ---(r|)'
      const subscribedSent = '^ 25ms !'
      const { client, socket } = createScriptedClient(script$, { linger: 5 })
      expectObservable(client.price$(b), subscribed).toBe('')
      expectObservable(client.price$(a)).toBe(expected, { r: rejected(a, pair) })
      expectObservable(socket.sent$, subscribedSent).toBe('(ba)', frames)
      expect(client.inspect().topics).toEqual([])
    })
  })

  it('is the one that the text names among many pending topics', () => {
    marbles(({ cold, expectObservable }) => {
      const topics = Array.from({ length: 9 }, (_, index) => `svc-0xa${index}` as const)
      const moreMoves = { ...moves, x: server.says('Invalid token 0xA4'), Y: server.confirms(...topics) }
      const script$ = cold('o-xY', moreMoves)
      const expected = '    --(r|)'
      const subscribed = '  ^-------!'
      const { client } = createScriptedClient(script$)
      for (const [index, topic] of topics.entries()) {
        if (index === 4) {
          expectObservable(client.price$(topic)).toBe(expected, { r: rejected(topic, 'Invalid token 0xA4') })
        } else {
          expectObservable(client.price$(topic), subscribed).toBe('')
        }
      }
    })
  })
})

describe('a confirmation', () => {
  it.each([
    ['all topics', server.confirms(a, b)],
    ['only the new one', server.confirms(b)],
    ['lower-cased topics with a quote', server.confirms('svc-0xaa-0xdef', 'svc-0xbb-0xdef')],
    ['upper-cased topics', server.confirms('svc-0xAA', 'svc-0xBB')],
    ['one topic twice', server.confirms(b, b)],
  ])('that lists %s confirms the listed topics', (_name, L) => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-L', { ...moves, L })
      const subscribed = '  ^ 50ms !'
      const { client } = createScriptedClient(script$, { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.price$(b), subscribed).toBe('')
      expectObservable(client.errors$, subscribed).toBe('')
    })
  })

  it('does not affect topics that it does not list', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA--BN1', moves)
      const subscribed = '  ^ 50ms !'
      const expected = '    ------1'
      const { client, socket } = createScriptedClient(script$, { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(6, a, 1) })
      expectObservable(client.price$(b), subscribed).toBe('')
      expectObservable(socket.sent$, subscribed).toBe('(ab)', frames)
    })
  })

  it('is not required: a price confirms the topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-1', moves)
      const subscribed = '  ^ 50ms !'
      const expected = '    --1'
      const { client, socket } = createScriptedClient(script$, { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(2, a, 1) })
      expectObservable(socket.sent$, subscribed).toBe('a', frames)
    })
  })

  it('that arrives after `SubscriptionTimeout` confirms the topic without an event', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o 29ms A 19ms 1', moves)
      const subscribed = '  ^ 80ms !'
      const expected = '    20ms t 29ms 1'
      const { client } = createScriptedClient(script$, { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        t: leftWith({ _tag: 'SubscriptionTimeout', recent: [] }),
        '1': priceAt(50, a, 1),
      })
    })
  })

  it('that answers an unsubscribe frame does not affect pending topics', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oC-----N--', moves)
      const subscribedA = '   ^---!'
      const subscribedB = '   ^ 40ms !'
      const subscribedLate = '----^ 25ms !'
      const expectedLate = '  24ms t'
      const subscribedSent = '^ 10ms !'
      const sent = '          (ab)(Ac)'
      const { client, socket } = createScriptedClient(script$, { linger: 0, confirmTimeout: 20 })
      expectObservable(client.price$(a), subscribedA).toBe('')
      expectObservable(client.price$(b), subscribedB).toBe('')
      expectObservable(client.price$('svc-0xcc'), subscribedLate).toBe(expectedLate, {
        t: leftWith({ _tag: 'SubscriptionTimeout', recent: [] }),
      })
      expectObservable(socket.sent$, subscribedSent).toBe(sent, { ...frames, c: subscribeFrame('svc-0xcc') })
    })
  })

  it('that lists topics of another service is uncorrelated, and confirms the topics of this one', () => {
    marbles(({ cold, expectObservable }) => {
      const moreMoves = { ...moves, L: server.confirms('acme-0xaa', b, 'svc-nonsense', a) }
      const script$ = cold('o-L', moreMoves)
      const subscribed = '  ^ 50ms !'
      const expected = '    --e'
      const { client } = createScriptedClient(script$, { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.price$(b), subscribed).toBe('')
      expectObservable(formatted$(client.errors$), subscribed).toBe(expected, {
        e: 'unknown-topic {"subscriptions":["acme-0xaa","svc-0xbb","svc-nonsense","svc-0xaa"]}',
      })
    })
  })

  it('of a topic without subscribers causes no event', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA-B--', moves)
      const subscribed = '  ^--------!'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(client.errors$, subscribed).toBe('')
    })
  })
})

describe('a price', () => {
  const priceMove = (topic: string, price = 1) => server.prices(topic, price)

  it('is delivered to its topic in any case, with or without a quote address', () => {
    marbles(({ cold, expectObservable }) => {
      const moreMoves = {
        ...moves,
        x: priceMove('svc-0xAA', 1),
        y: priceMove('svc-0xaa-0xDEF', 2),
        z: priceMove('svc-0xaa-', 3),
      }
      const script$ = cold('oAxyz', moreMoves)
      const subscribed = '  ^------!'
      const expected = '    --xyz'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$('svc-0xAa'), subscribed).toBe(expected, {
        x: priceAt(2, 'svc-0xAa', 1),
        y: priceAt(3, 'svc-0xAa', 2),
        z: priceAt(4, 'svc-0xAa', 3),
      })
      expectObservable(client.errors$, subscribed).toBe('')
    })
  })

  it.each([
    'acme-0xaa',
    '0xaa',
    'svc0xaa',
    'SVC-0xaa',
    'svc-',
    'svc-aa',
    'svc-0x',
    'svc-0xaag',
    'svc-0xaa 0xbb',
    'x svc-0xaa',
    '',
    'svc-svc-0xaa',
  ])('of %j is uncorrelated because the topic is malformed or of another service', (topic) => {
    expectUncorrelated(priceMove(topic), `unknown-topic {"topic":"${topic}","price":1}`)
  })

  it('of a topic that was never requested is uncorrelated', () => {
    expectUncorrelated(server.prices(b, 2), 'unknown-topic {"topic":"svc-0xbb","price":2}')
  })

  it('of an unsubscribed topic is dropped for `confirmTimeout`; a later one is uncorrelated and is answered by unsubscribe', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oC--1 10ms 1 8ms 1', moves)
      const subscribedA = '   ^---!'
      const subscribedB = '   ^ 40ms !'
      const subscribedSent = '^ 30ms !'
      const sent = '          (ab)A 19ms A'
      const errors = '        24ms e'
      const { client, socket } = createScriptedClient(script$, { linger: 0, confirmTimeout: 20 })
      expectObservable(client.price$(a), subscribedA).toBe('')
      expectObservable(client.price$(b), subscribedB).toBe('')
      expectObservable(socket.sent$, subscribedSent).toBe(sent, { ...frames })
      expectObservable(formatted$(client.errors$), subscribedSent).toBe(errors, {
        e: 'unknown-topic {"topic":"svc-0xaa","price":1}',
      })
    })
  })

  it('of a lingering topic is not an error, and is the initial event of the next subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('    oA1---3', moves)
      const subscribed = '      ^---!'
      const expected = '        --1'
      const subscribedLate = '  --------^--!'
      const expectedLate = '    --------3'
      const subscribedErrors = '^---------!'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(2, a, 1) })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { '3': priceAt(6, a, 3) })
      expectObservable(client.errors$, subscribedErrors).toBe('')
    })
  })

  it('is delivered if its service name is that of the client, and is otherwise uncorrelated', () => {
    marbles(({ cold, expectObservable }) => {
      const topic = 'acme-0xaa'
      const moreMoves = { ...moves, x: priceMove(topic), y: priceMove(a) }
      const script$ = cold('oxy', moreMoves)
      const subscribed = '  ^------!'
      const expected = '    -x'
      const errors = '      --e'
      const { client } = createScriptedClient(script$, { service: 'acme' })
      expectObservable(client.price$(topic), subscribed).toBe(expected, { x: priceAt(1, topic, 1) })
      expectObservable(client.price$(a), subscribed).toBe('(i|)', {
        i: leftWith({ _tag: 'InvalidTopic', topic: a }),
      })
      expectObservable(formatted$(client.errors$), subscribed).toBe(errors, {
        e: 'unknown-topic {"topic":"svc-0xaa","price":1}',
      })
    })
  })
})

describe('a malformed frame', () => {
  it.each(['0', '-1', 'null', '"1"', '1e999', '[]', '{}', 'true'])(
    'is a `DecodeError` of its topic if the price is %s, and later prices follow',
    (price) => {
      marbles(({ cold, expectObservable }) => {
        const input = `{"topic":"svc-0xAA-0xdef","price":${price}}`
        const script$ = cold('oA1x3', { ...moves, x: server.says(input) })
        const subscribed = '  ^------!'
        const expected = '    --1x3'
        const { client } = createScriptedClient(script$)
        const x = leftWith({ _tag: 'DecodeError', input })
        const seen = { '1': priceAt(2, a, 1), x, '3': priceAt(4, a, 3) }
        expectObservable(client.price$(a), subscribed).toBe(expected, seen)
        expectObservable(client.price$(b), subscribed).toBe('')
        expectObservable(client.errors$, subscribed).toBe('')
      })
    },
  )

  it('is emitted to a pending topic and does not confirm it', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}"}`)
      const script$ = cold('o-x', { ...moves, x: bad })
      const subscribed = '  ^ 25ms !'
      const expected = '    --x 17ms t'
      const { client } = createScriptedClient(script$, { confirmTimeout: 20 })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        x: leftWith({ _tag: 'DecodeError' }),
        t: leftWith({ _tag: 'SubscriptionTimeout' }),
      })
    })
  })

  it('is what a late subscriber receives until the next price, because it may have been a newer one', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}","price":0}`)
      const script$ = cold('   oA1x--2', { ...moves, '2': server.prices(a, 2), x: bad })
      const subscribed = '     ^--------!'
      const expected = '       --1x--2'
      const subscribedLate = ' ----^----!'
      const expectedLate = '   ----x-2'
      const subscribedLater = '-------^-!'
      const expectedLater = '  -------2'
      const check$ = cold('    ----x')
      const { client } = createScriptedClient(script$)
      const events = {
        '1': priceAt(2, a, 1),
        '2': priceAt(6, a, 2),
        x: leftWith({ _tag: 'DecodeError' }),
      }
      expectObservable(client.price$(a), subscribed).toBe(expected, events)
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, events)
      expectObservable(client.price$(a), subscribedLater).toBe(expectedLater, events)
      check$.subscribe(() => expect(client.inspect().topics).toMatchObject([{ state: 'stale' }]))
    })
  })

  it('is dropped if its topic was unsubscribed within `confirmTimeout`', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}","price":0}`)
      const script$ = cold('oC---x 30ms x', { ...moves, x: bad })
      const subscribedA = ' ^--!'
      const subscribedB = ' ^ 50ms !'
      const expected = '    36ms e'
      const { client } = createScriptedClient(script$, { linger: 0, confirmTimeout: 20 })
      expectObservable(client.price$(a), subscribedA).toBe('')
      expectObservable(client.price$(b), subscribedB).toBe('')
      expectObservable(formatted$(client.errors$), subscribedB).toBe(expected, {
        e: 'malformed {"topic":"svc-0xaa","price":0}',
      })
    })
  })

  it.each([
    '{}',
    '[]',
    'null',
    '1.5',
    '"Error"',
    '{"topic":5,"price":1}',
    '{"price":1}',
    '{"topic":"svc-0xcc","price":0}',
    '{"topic":"acme-0xaa","price":0}',
    '{"subscriptions":"svc-0xaa"}',
    '{"subscriptions":[1]}',
    '{"subscriptions":null,"topic":"svc-0xaa","price":1}',
  ])('is uncorrelated if it is %s', (input) => {
    expectUncorrelated(server.says(input), `malformed ${input}`)
  })

  it('is truncated to 2 kB in the error', () => {
    const input = JSON.stringify(['x'.repeat(5000)])
    expectUncorrelated(server.says(input), `malformed ${input.slice(0, 2048)}`)
  })
})

describe('a binary frame', () => {
  it('is uncorrelated, with its bytes in hex', () => {
    expectUncorrelated(server.sends(Uint8Array.of(0, 171, 255)), 'binary 00abff')
  })

  it('is uncorrelated even if its bytes are a valid price update', () => {
    const bytes = Buffer.from(`{"topic":"${a}","price":1}`)
    expectUncorrelated(server.sends(bytes), `binary ${bytes.toString('hex')}`)
  })

  it('is truncated to 2 kB of hex digits in the error', () => {
    expectUncorrelated(server.sends(new Uint8Array(5000)), `binary ${'0'.repeat(2048)}`)
  })
})

describe('errors$', () => {
  it('is hot: a late subscriber receives no earlier errors', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('  oA-e--e', moves)
      const subscribed = '    ^---------!'
      const subscribedLate = '-----^---!'
      const expected = '      ------e'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(formatted$(client.errors$), subscribedLate).toBe(expected, {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('completes when the client closes, also for a late subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = createScriptedClient(cold('o', moves))
      const closing$ = cold(' ---c')
      const errors = '        ---|'
      const subscribedLate = '-----^'
      const lateErrors = '    -----|'
      closing$.subscribe(() => void client.close())
      expectObservable(client.errors$).toBe(errors)
      expectObservable(client.errors$, subscribedLate).toBe(lateErrors)
    })
  })
})
