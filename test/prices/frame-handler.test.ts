import { map } from 'rxjs'
import type { Observable } from 'rxjs'
import type { UncorrelatedError } from 'svc-streams'
import { server } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { a, at, b, fails, marbles, scripted, subscribes, unsubscribes } from '../support/marbles.js'

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

const frames = { a: subscribes(a), b: subscribes(b), A: unsubscribes(a), B: unsubscribes(b) }

/** Each uncorrelated error as its kind, a space, and what came. */
const inWords$ = (errors$: Observable<UncorrelatedError>): Observable<string> =>
  errors$.pipe(map(({ kind, input }) => `${kind} ${input}`))

const rejected = (topic: string, reason: string) => fails({ _tag: 'SubscriptionRejected', topic, reason })

describe('an error text', () => {
  it('with the address of a waiting topic rejects that topic and completes it; the others go on', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('o-rB2', moves))
      expectObservable(client.price$(a), '  ^---------').toBe('--(r|)', { r: rejected(a, pair) })
      expectObservable(client.price$('svc-0xAA'), '^---------').toBe('--(r|)', {
        r: rejected('svc-0xAA', pair),
      })
      expectObservable(client.price$(b), '  ^--------!').toBe('----2', { '2': at(4, b, 2) })
      expectObservable(client.errors$, '    ^---------').toBe('')
      expectObservable(socket.sent$, '      ^--------!').toBe('(ab)', frames)
    })
  })

  it('without an address rejects the only topic that waits', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('o-e', moves))
      expectObservable(client.price$(a), '  ^---------').toBe('--(r|)', {
        r: rejected(a, 'Invalid request: no such topic'),
      })
      expectObservable(client.errors$, '    ^---------').toBe('')
      expectObservable(socket.hangUps$, '   ^---------').toBe('--x', { x: 1 })
    })
  })

  it('without an address rejects the one that waits among those that are confirmed', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('    oA-e', moves))
      expectObservable(client.price$(a), '  ^--------!').toBe('')
      expectObservable(client.price$(b), '  ^---------').toBe('---(r|)', {
        r: rejected(b, 'Invalid request: no such topic'),
      })
    })
  })

  it('without an address rejects nobody while two wait, and both carry it when their time is over', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('o-ef', moves), { confirmTimeout: 20 })
      const recent = ['Invalid request: no such topic', 'Error: out of memory']
      const t = fails({ _tag: 'SubscriptionTimeout', recent })
      expectObservable(client.price$(a), '  ^ 20ms !').toBe('20ms t', { t })
      expectObservable(client.price$(b), '  ^ 20ms !').toBe('20ms t', { t })
      expectObservable(inWords$(client.errors$), '^ 20ms !').toBe('--ef', {
        e: `error-text ${recent[0]!}`,
        f: `error-text ${recent[1]!}`,
      })
    })
  })

  it('without an address does not reject the topic that waits while the answer to one since left is open', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('o----e', moves), { linger: 0 })
      expectObservable(client.price$(a), '  ^-!').toBe('')
      expectObservable(client.price$(b), '  --^-----!').toBe('')
      expectObservable(socket.sent$, '      ^-------!').toBe('a-(Ab)', frames)
      expectObservable(inWords$(client.errors$), '^-------!').toBe('-----e', {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('without an address is the answer to the topic since left, where no other is open', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('    o---B-e', moves), { linger: 0 })
      expectObservable(client.price$(a), '  ^-!').toBe('')
      expectObservable(client.price$(b), '  -^--------!').toBe('')
      expectObservable(client.errors$, '    ^---------!').toBe('')
    })
  })

  it('with the address of a live topic belongs to nobody, and harms nobody', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('    oA-r13', moves))
      expectObservable(client.price$(a), '  ^---------!').toBe('----13', {
        '1': at(4, a, 1),
        '3': at(5, a, 3),
      })
      expectObservable(inWords$(client.errors$), '^---------!').toBe('---r', { r: `error-text ${pair}` })
    })
  })

  it('with a foreign address does not reject the only topic that waits', () => {
    marbles(({ cold, expectObservable }) => {
      const talk = { ...moves, x: server.says('no such token: 0xcc') }
      const { client } = scripted(cold('o-x1', talk))
      expectObservable(client.price$(a), '^---------!').toBe('---1', { '1': at(3, a, 1) })
      expectObservable(inWords$(client.errors$), '^---------!').toBe('--x', {
        x: 'error-text no such token: 0xcc',
      })
    })
  })

  it('is whole up to 2 kB, and a message is one line', () => {
    const long = `0xaa ${'line\n'.repeat(1000)}`
    marbles(({ cold, expectObservable }) => {
      const talk = { ...moves, x: server.says(long) }
      const { client } = scripted(cold('o-x', talk))
      const r = expect.objectContaining({
        left: expect.objectContaining({
          reason: long.slice(0, 2048),
          message: expect.not.stringContaining('\n') as string,
        }) as object,
      }) as object
      expectObservable(client.price$(a), '^---------').toBe('--(r|)', { r })
    })
  })

  it('finds an address that stands beyond the first 2 kB', () => {
    marbles(({ cold, expectObservable }) => {
      const text = `${'x'.repeat(5000)} 0xAA`
      const { client } = scripted(cold('o-x', { ...moves, x: server.says(text) }))
      expectObservable(client.price$(a), '^---------').toBe('--(r|)', { r: rejected(a, text.slice(0, 2048)) })
      expectObservable(client.price$(b), '^--------!').toBe('')
    })
  })

  it('that arrives when nothing is asked belongs to nobody', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA-e-1', moves))
      expectObservable(client.price$(a), '^---------!').toBe('-----1', { '1': at(5, a, 1) })
      expectObservable(inWords$(client.errors$), '^---------!').toBe('---e', {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('may be empty', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA-x', { ...moves, x: server.says('') }))
      expectObservable(client.price$(a), '^---------!').toBe('')
      expectObservable(inWords$(client.errors$), '^---------!').toBe('---e', { e: 'error-text ' })
    })
  })
})

describe('topics asked again after an error text that belongs to none', () => {
  it('go one by one, the next as soon as the one before is answered, so that the next text has one owner', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('o-e 20ms A 5ms e', moves)
      const { client, socket } = scripted(script$, { confirmTimeout: 20, staleAfter: 1000 })
      const t = fails({ _tag: 'SubscriptionTimeout' })
      expectObservable(client.price$(a), '^ 49ms !').toBe('20ms t', { t })
      expectObservable(client.price$(b), '^ 49ms  ').toBe('20ms t 8ms (r|)', {
        t,
        r: rejected(b, 'Invalid request: no such topic'),
      })
      expectObservable(socket.sent$, '    ^ 49ms !').toBe('(ab) 16ms a--b', frames)
    })
  })
})

describe('a topic that was rejected', () => {
  it('is asked anew for who subscribes anew, on the same connection', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('oB-r---A1', moves))
      expectObservable(client.price$(b), '  ^------------!').toBe('')
      expectObservable(client.price$(a), '  ^-------------').toBe('---(r|)', { r: rejected(a, pair) })
      expectObservable(client.price$(a), '  -----^-------!').toBe('--------1', { '1': at(8, a, 1) })
      expectObservable(socket.sent$, '      ^------------!').toBe('(ba)-a', frames)
    })
  })

  it('is not unsubscribed, and does not linger', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('oB-r', moves), { linger: 5 })
      expectObservable(client.price$(b), '  ^ 30ms !').toBe('')
      expectObservable(client.price$(a), '  ^---------').toBe('---(r|)', { r: rejected(a, pair) })
      expectObservable(socket.sent$, '      ^ 25ms !').toBe('(ba)', frames)
      expect(client.inspect().topics).toEqual([])
    })
  })

  it('may be any one of many asked at once', () => {
    marbles(({ cold, expectObservable }) => {
      const topics = Array.from({ length: 9 }, (_, index) => `svc-0xa${index}` as const)
      const talk = { ...moves, x: server.says('Invalid token 0xA4'), Y: server.confirms(...topics) }
      const { client } = scripted(cold('o-xY', talk))
      for (const [index, topic] of topics.entries()) {
        if (index === 4) {
          expectObservable(client.price$(topic), '^--------').toBe('--(r|)', {
            r: rejected(topic, 'Invalid token 0xA4'),
          })
        } else {
          expectObservable(client.price$(topic), '^-------!').toBe('')
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
  ])('that lists %s ends the wait of what it lists', (_name, L) => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA-L', { ...moves, L }), { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), '^ 50ms !').toBe('')
      expectObservable(client.price$(b), '^ 50ms !').toBe('')
      expectObservable(client.errors$, '  ^ 50ms !').toBe('')
    })
  })

  it('proves nothing by what it does not list', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('oA--BN1', moves), { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), '  ^ 50ms !').toBe('------1', { '1': at(6, a, 1) })
      expectObservable(client.price$(b), '  ^ 50ms !').toBe('')
      expectObservable(socket.sent$, '      ^ 50ms !').toBe('(ab)', frames)
    })
  })

  it('may be missing: a price confirms', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('o-1', moves), { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), '  ^ 50ms !').toBe('--1', { '1': at(2, a, 1) })
      expectObservable(socket.sent$, '      ^ 50ms !').toBe('a', frames)
    })
  })

  it('may be late: what was told of its absence is mended without a word', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('o 29ms A 19ms 1', moves), { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), '^ 80ms !').toBe('20ms t 29ms 1', {
        t: fails({ _tag: 'SubscriptionTimeout', recent: [] }),
        '1': at(50, a, 1),
      })
    })
  })

  it('that answers an unsubscribe neither confirms nor rejects what waits', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('oC-----N--', moves), { linger: 0, confirmTimeout: 20 })
      expectObservable(client.price$(a), '  ^---!').toBe('')
      expectObservable(client.price$(b), '  ^ 40ms !').toBe('')
      expectObservable(client.price$('svc-0xcc'), '----^ 25ms !').toBe('24ms t', {
        t: fails({ _tag: 'SubscriptionTimeout', recent: [] }),
      })
      expectObservable(socket.sent$, '      ^ 10ms !').toBe('(ab)(Ac)', {
        ...frames,
        c: subscribes('svc-0xcc'),
      })
    })
  })

  it('of topics that are not ours is uncorrelated, and confirms those that are', () => {
    marbles(({ cold, expectObservable }) => {
      const talk = { ...moves, L: server.confirms('acme-0xaa', b, 'svc-nonsense', a) }
      const { client } = scripted(cold('o-L', talk), { confirmTimeout: 20, staleAfter: 1000 })
      expectObservable(client.price$(a), '^ 50ms !').toBe('')
      expectObservable(client.price$(b), '^ 50ms !').toBe('')
      expectObservable(inWords$(client.errors$), '^ 50ms !').toBe('--e', {
        e: 'unknown-topic {"subscriptions":["acme-0xaa","svc-0xbb","svc-nonsense","svc-0xaa"]}',
      })
    })
  })

  it('of a topic that nobody asked for is nothing', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA-B--', moves))
      expectObservable(client.price$(a), '^--------!').toBe('')
      expectObservable(client.errors$, '  ^--------!').toBe('')
    })
  })
})

describe('a price', () => {
  const say = (topic: string, price = 1) => server.prices(topic, price)

  it('goes to its topic, whatever the case and with a quote behind it', () => {
    marbles(({ cold, expectObservable }) => {
      const talk = { ...moves, x: say('svc-0xAA', 1), y: say('svc-0xaa-0xDEF', 2), z: say('svc-0xaa-', 3) }
      const { client } = scripted(cold('oAxyz', talk))
      expectObservable(client.price$('svc-0xAa'), '^------!').toBe('--xyz', {
        x: at(2, 'svc-0xAa', 1),
        y: at(3, 'svc-0xAa', 2),
        z: at(4, 'svc-0xAa', 3),
      })
      expectObservable(client.errors$, '  ^------!').toBe('')
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
  ])('of %j is not ours, and goes to nobody', (topic) => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oAx', { ...moves, x: say(topic) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', {
        e: `unknown-topic {"topic":"${topic}","price":1}`,
      })
    })
  })

  it('of a topic of ours that nobody asked for is uncorrelated', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA2', moves))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', {
        e: 'unknown-topic {"topic":"svc-0xbb","price":2}',
      })
    })
  })

  it('for a topic since left is dropped in silence for `confirmTimeout`, and uncorrelated later', () => {
    marbles(({ cold, expectObservable }) => {
      const { client, socket } = scripted(cold('oC--1 10ms 1 8ms 1', moves), {
        linger: 0,
        confirmTimeout: 20,
      })
      expectObservable(client.price$(a), '  ^---!').toBe('')
      expectObservable(client.price$(b), '  ^ 40ms !').toBe('')
      expectObservable(socket.sent$, '      ^ 30ms !').toBe('(ab)A', { ...frames })
      expectObservable(inWords$(client.errors$), '^ 30ms !').toBe('24ms e', {
        e: 'unknown-topic {"topic":"svc-0xaa","price":1}',
      })
    })
  })

  it('for a topic that lingers is no error, and is what holds for who comes back', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA1---3', moves))
      expectObservable(client.price$(a), '^---!').toBe('--1', { '1': at(2, a, 1) })
      expectObservable(client.price$(a), '--------^--!').toBe('--------3', { '3': at(6, a, 3) })
      expectObservable(client.errors$, '  ^---------!').toBe('')
    })
  })

  it('under another service name is for the client of that name', () => {
    marbles(({ cold, expectObservable }) => {
      const topic = 'acme-0xaa'
      const talk = { ...moves, x: say(topic), y: say(a) }
      const { client } = scripted(cold('oxy', talk), { service: 'acme' })
      expectObservable(client.price$(topic), '^------!').toBe('-x', { x: at(1, topic, 1) })
      expectObservable(client.price$(a), '^------!').toBe('(i|)', {
        i: fails({ _tag: 'InvalidTopic', topic: a }),
      })
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', {
        e: 'unknown-topic {"topic":"svc-0xaa","price":1}',
      })
    })
  })
})

describe('a frame that is not what the protocol says', () => {
  it.each(['0', '-1', 'null', '"1"', '1e999', '[]', '{}', 'true'])(
    'is a `DecodeError` of its topic where the price is %s, and the topic goes on',
    (price) => {
      marbles(({ cold, expectObservable }) => {
        const input = `{"topic":"svc-0xAA-0xdef","price":${price}}`
        const { client } = scripted(cold('oA1x3', { ...moves, x: server.says(input) }))
        const x = fails({ _tag: 'DecodeError', input })
        const seen = { '1': at(2, a, 1), x, '3': at(4, a, 3) }
        expectObservable(client.price$(a), '^------!').toBe('--1x3', seen)
        expectObservable(client.price$(b), '^------!').toBe('')
        expectObservable(client.errors$, '  ^------!').toBe('')
      })
    },
  )

  it('is told to a topic that waits, and does not confirm it', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}"}`)
      const { client } = scripted(cold('o-x', { ...moves, x: bad }), { confirmTimeout: 20 })
      expectObservable(client.price$(a), '^ 25ms !').toBe('--x 17ms t', {
        x: fails({ _tag: 'DecodeError' }),
        t: fails({ _tag: 'SubscriptionTimeout' }),
      })
    })
  })

  it('is not replayed, and does not take the place of the latest price', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}","price":0}`)
      const { client } = scripted(cold('oA1x', { ...moves, x: bad }))
      expectObservable(client.price$(a), '^------!').toBe('--1x', {
        '1': at(2, a, 1),
        x: fails({ _tag: 'DecodeError' }),
      })
      expectObservable(client.price$(a), '----^--!').toBe('----1', { '1': at(2, a, 1) })
    })
  })

  it('is dropped where its topic was left a moment ago', () => {
    marbles(({ cold, expectObservable }) => {
      const bad = server.says(`{"topic":"${a}","price":0}`)
      const script$ = cold('oC---x 30ms x', { ...moves, x: bad })
      const { client } = scripted(script$, { linger: 0, confirmTimeout: 20 })
      expectObservable(client.price$(a), '^--!').toBe('')
      expectObservable(client.price$(b), '^ 50ms !').toBe('')
      expectObservable(inWords$(client.errors$), '^ 50ms !').toBe('36ms e', {
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
  ])('belongs to nobody where it is %s', (input) => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oAx', { ...moves, x: server.says(input) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', { e: `malformed ${input}` })
    })
  })

  it('is shown up to 2 kB', () => {
    marbles(({ cold, expectObservable }) => {
      const input = JSON.stringify(['x'.repeat(5000)])
      const { client } = scripted(cold('oAx', { ...moves, x: server.says(input) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', {
        e: `malformed ${input.slice(0, 2048)}`,
      })
    })
  })
})

describe('a binary frame', () => {
  it('belongs to nobody, and is shown in hex', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oAx', { ...moves, x: server.sends(Uint8Array.of(0, 171, 255)) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', { e: 'binary 00abff' })
    })
  })

  it('is no price, though it spells one', () => {
    marbles(({ cold, expectObservable }) => {
      const bytes = Buffer.from(`{"topic":"${a}","price":1}`)
      const { client } = scripted(cold('oAx', { ...moves, x: server.sends(bytes) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', {
        e: `binary ${bytes.toString('hex')}`,
      })
    })
  })

  it('is shown up to 2 kB', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oAx', { ...moves, x: server.sends(new Uint8Array(5000)) }))
      expectObservable(client.price$(a), '^------!').toBe('')
      expectObservable(inWords$(client.errors$), '^------!').toBe('--e', { e: `binary ${'0'.repeat(2048)}` })
    })
  })
})

describe('errors$', () => {
  it('is hot: who comes later has missed what was', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('oA-e--e', moves))
      expectObservable(client.price$(a), '^---------!').toBe('')
      expectObservable(inWords$(client.errors$), '-----^---!').toBe('------e', {
        e: 'error-text Invalid request: no such topic',
      })
    })
  })

  it('completes with the client, also for who comes later', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = scripted(cold('o', moves))
      cold('---c').subscribe(() => void client.close())
      expectObservable(client.errors$, '^').toBe('---|')
      expectObservable(client.errors$, '-----^').toBe('-----|')
    })
  })
})
