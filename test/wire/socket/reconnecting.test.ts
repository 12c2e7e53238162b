import { concat, EMPTY, NEVER, of, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import {
  a,
  priceAt,
  b,
  leftWith,
  marbles,
  createScriptedClient,
  subscribeFrame,
} from '../../support/time/marbles.js'
import { server } from '../../support/time/scripted-socket.js'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

const moves = {
  o: server.opens,
  A: server.confirms(a),
  B: server.confirms(a, b),
  '1': server.prices(a, 1),
  '2': server.prices(a, 2),
  '3': server.prices(b, 3),
  p: server.pongs,
  x: server.closes(1012, 'restarting'),
}

const idle = { _tag: 'Idle' }
const closed = { _tag: 'Closed' }
const connecting = (attempt: number) => ({ _tag: 'Connecting', attempt })
const open = (epoch: number, since: number) => ({ _tag: 'Open', epoch, since })
const waiting = (attempt: number, retryInMs: number, reason = 'restarting') => ({
  _tag: 'Waiting',
  attempt,
  retryInMs,
  reason,
})
const down = (attempt: number, retryInMs: number) => leftWith({ _tag: 'Disconnected', attempt, retryInMs })

describe('a lost connection', () => {
  const codes = [1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015]

  it.each([...codes, 3000, 4000, 4999])(
    'with close code %i emits one `Disconnected` per topic, and the client reconnects',
    (code) => {
      marbles(({ cold, expectObservable }) => {
        const moreMoves = { ...moves, x: server.closes(code, 'bye') }
        const first$ = cold('--oB13x', moreMoves)
        const later$ = cold('oB-2', moreMoves)
        const subscribed = ' ^ 150ms !'
        const expectedA = '  ----1-x 127ms 2'
        const expectedB = '  -----3x'
        const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : later$))
        const x = leftWith({ _tag: 'Disconnected', code, reason: 'bye', attempt: 1, retryInMs: 125 })
        expectObservable(client.price$(a), subscribed).toBe(expectedA, {
          '1': priceAt(4, a, 1),
          x,
          '2': priceAt(134, a, 2, 2),
        })
        expectObservable(client.price$(b), subscribed).toBe(expectedB, { '3': priceAt(5, b, 3), x })
      })
    },
  )

  it('emits `Disconnected` once to each current subscriber of a topic', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('     --oA1---x', moves)
      const subscribed = '       ^ 50ms !'
      const expected = '         ----1---x'
      const subscribedLate = '   -----^ 50ms !'
      const expectedLate = '     -----1--x'
      const subscribedBriefly = '^------!'
      const expectedBriefly = '  ----1'
      const { client } = createScriptedClient(script$)
      const x = down(1, 125)
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(4, a, 1), x })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { '1': priceAt(4, a, 1), x })
      expectObservable(client.price$(a), subscribedBriefly).toBe(expectedBriefly, { '1': priceAt(4, a, 1) })
    })
  })

  it('without a close frame has the code 1006', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('-o-|', moves)
      const subscribed = '  ^ 50ms !'
      const expected = '    ---x'
      const { client } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        x: leftWith({ _tag: 'Disconnected', code: 1006, reason: 'the script is over' }),
      })
    })
  })

  it('emits `Disconnected` to a pending topic, which then has no confirmation timeout', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('o----x', moves)
      const subscribed = ' ^ 200ms !'
      const expected = '   -----x'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : NEVER), {
        confirmTimeout: 20,
        reconnect: { initialDelay: 1000 },
      })
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 500) })
    })
  })

  it('emits no `Stale` after `Disconnected`', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('oA1--x', moves)
      const subscribed = ' ^ 200ms !'
      const expected = '   --1--x'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : NEVER), {
        staleAfter: 20,
        reconnect: { initialDelay: 1000 },
      })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(2, a, 1),
        x: down(1, 500),
      })
    })
  })
})

describe('reconnect attempts', () => {
  it('are counted and emitted once each, and their delays double up to `maxDelay`', () => {
    const delays = [125, 250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]
    let events: unknown[] = []
    let dials: number[] = []
    runInVirtualTime(({ now, at: when }) => {
      const { client, socket } = createScriptedClient(() => concat(of(server.closes(1006, 'refused')), NEVER))
      dials = []
      events = []
      socket.dials$.subscribe(() => dials.push(now()))
      const subscription = client.price$(a).subscribe((event) => events.push(event))
      when(60_000, () => subscription.unsubscribe())
    })
    const expected = delays.map((retryInMs, failures) => down(failures + 1, retryInMs))
    expect(events).toEqual(expected.slice(0, events.length))
    expect(events).toHaveLength(10)
    const startTimes = delays.reduce<number[]>((times, delay) => [...times, times.at(-1)! + delay], [0])
    expect(dials).toEqual(startTimes.slice(0, dials.length))
    expect(dials).toHaveLength(10)
  })

  it('have a random delay between 0 and the backoff ceiling', () => {
    const draws = [0.001, 0.999, 0.25]
    const lines: string[] = []
    runInVirtualTime(
      ({ now, at: when }) => {
        const { client, socket } = createScriptedClient(() => of(server.closes()))
        socket.dials$.subscribe((dial) => lines.push(`${now()} dial ${dial}`))
        const subscription = client.price$(a).subscribe()
        when(760, () => subscription.unsubscribe())
      },
      { random: () => draws.shift() ?? 0.5 },
    )
    expect(lines).toEqual(['0 dial 1', '0 dial 2', '500 dial 3', '750 dial 4'])
  })

  it('use the delays from the options', () => {
    const dials: number[] = []
    runInVirtualTime(({ now, at: when }) => {
      const { client, socket } = createScriptedClient(() => of(server.closes()), {
        reconnect: { initialDelay: 20, maxDelay: 60 },
      })
      socket.dials$.subscribe(() => dials.push(now()))
      const subscription = client.price$(a).subscribe()
      when(121, () => subscription.unsubscribe())
    })
    expect(dials).toEqual([0, 10, 30, 60, 90, 120])
  })

  const dropsAfter = (ms: number): string => `o ${ms - 1}ms x`

  it('restart at 1 after a connection that was open for `stableAfter`', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold(dropsAfter(40), moves)
      const { client } = createScriptedClient(script$, { reconnect: { initialDelay: 20, stableAfter: 40 } })
      const x = down(1, 10)
      const subscribed = '^ 150ms !'
      const expected = '  40ms x 49ms x 49ms x'
      expectObservable(client.price$(a), subscribed).toBe(expected, { x })
    })
  })

  it('do not restart after a shorter connection: a service that accepts and closes causes backoff', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold(dropsAfter(39), moves)
      const { client } = createScriptedClient(script$, { reconnect: { initialDelay: 20, stableAfter: 40 } })
      const subscribed = '^ 160ms !'
      const expected = '  39ms x 48ms y 58ms z'
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        x: down(1, 10),
        y: down(2, 20),
        z: down(3, 40),
      })
    })
  })

  it('do not count the time of the dial toward `stableAfter`', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('30ms o 19ms x', moves)
      const subscribed = '  ^ 120ms !'
      const expected = '    50ms x 59ms y'
      const { client } = createScriptedClient(script$, { reconnect: { initialDelay: 20, stableAfter: 40 } })
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 10), y: down(2, 20) })
    })
  })

  it('restart at 1 only once per stable connection', () => {
    const scripts = ['x', 'x', 'o 39ms x', 'x', 'x']
    const seen: string[] = []
    marbles(({ cold }) => {
      const { client } = createScriptedClient((dial) => cold(scripts[dial - 1] ?? 'o', moves), {
        reconnect: { initialDelay: 20, stableAfter: 40 },
      })
      client
        .price$(a)
        .pipe(take(5))
        .subscribe((event) => seen.push(JSON.stringify(event)))
    })
    expect(seen.map((event) => /"attempt":(\d)/.exec(event)?.[1])).toEqual(['1', '2', '1', '2', '3'])
  })

  it('restart at 1 when the client closed a stable connection', () => {
    const lines: string[] = []
    runInVirtualTime(({ at: when, now }) => {
      const { client, transport } = createManualClient({
        linger: 0,
        reconnect: { initialDelay: 20, stableAfter: 40 },
      })
      const eventLog = createTimedLog({ now })
      let subscription = client.price$(a).subscribe(eventLog.observer('a'))
      when(1, () => transport.lastSocket.drop())
      when(12, () => transport.lastSocket.open())
      when(60, () => subscription.unsubscribe())
      when(70, () => (subscription = client.price$(a).subscribe(eventLog.observer('a'))))
      when(71, () => transport.lastSocket.drop())
      when(72, () => subscription.unsubscribe())
      when(80, () => lines.push(...eventLog.lines))
    })
    expect(lines).toEqual(['1 a: Disconnected 1', '71 a: Disconnected 1'])
  })
})

describe('a dial', () => {
  it('that does not open within `connectTimeout` is terminated and counts as a failed attempt', () => {
    marbles(({ expectObservable }) => {
      const { client, socket } = createScriptedClient(NEVER, { connectTimeout: 100 })
      const x = { _tag: 'Disconnected', code: 1006, reason: 'not open within 100 ms' }
      const subscribed = '^ 400ms !'
      const expected = '  100ms x 224ms y'
      const hangUps = '   100ms 1 224ms 2'
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        x: leftWith({ ...x, attempt: 1, retryInMs: 125 }),
        y: leftWith({ ...x, attempt: 2, retryInMs: 250 }),
      })
      expectObservable(socket.hangUps$, subscribed).toBe(hangUps, { '1': 1, '2': 2 })
    })
  })

  it('that opens in time is not terminated later', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('99ms o A 399ms 1', moves)
      const subscribed = '  ^ 600ms !'
      const expected = '    500ms 1'
      const { client } = createScriptedClient(script$, { connectTimeout: 100 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(500, a, 1) })
    })
  })

  it('is not caused by `status$`, by `errors$`, by `inspect`, or by `price$` before it has a subscriber', () => {
    const { client, transport } = createManualClient()
    runInVirtualTime(({ at: when, now }) => {
      const eventLog = createTimedLog({ now })
      client.status$.subscribe(eventLog.observer('status'))
      client.errors$.subscribe(eventLog.observer('errors'))
      void client.price$(a)
      client.inspect()
      when(100_000, () => expect(eventLog.lines).toEqual(['0 status: Idle']))
    })
    expect(transport.sockets).toEqual([])
  })

  it('is not repeated after all subscribers unsubscribe, during a retry delay or during a dial', () => {
    const pendingTimers = runInVirtualTime(({ at: when }) => {
      const { client, transport } = createManualClient()
      const duringDelay = client.price$(a).subscribe()
      when(1, () => transport.lastSocket.drop())
      when(50, () => duringDelay.unsubscribe())
      when(1000, () => expect(transport.sockets).toHaveLength(1))
      let duringDial: typeof duringDelay
      when(1001, () => (duringDial = client.price$(a).subscribe()))
      when(1002, () => duringDial.unsubscribe())
      when(90_000, () =>
        expect(transport.sockets.map(({ endCalls }) => endCalls)).toEqual([['close'], ['close']]),
      )
    })
    expect(pendingTimers).toBe(0)
  })

  it('uses the URL and the frame limit from the options', () => {
    runInVirtualTime(({ at: when }) => {
      const { client, transport } = createManualClient({
        priceWsUrl: 'ws://localhost/prices?key=1',
        maxFrameBytes: 4096,
      })
      const subscription = client.price$(a).subscribe()
      when(1, () => {
        expect(transport.lastSocket.url).toBe('ws://localhost/prices?key=1')
        expect(transport.lastSocket.dialOptions).toEqual({ maxFrameBytes: 4096 })
        subscription.unsubscribe()
      })
    })
  })
})

describe('liveness', () => {
  it('replaces the socket when a ping gets no answer within `pongTimeout`', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('     oA', moves)
      const subscribed = '       ^ 26s !'
      const expected = '         25s x'
      const subscribedHangUps = '^ 25500ms !'
      const hangUps = '          25s 1'
      const dials = '            1 25124ms 2'
      const { client, socket } = createScriptedClient(script$, {}, { answersPings: false })
      const x = leftWith({
        _tag: 'Disconnected',
        code: 1006,
        reason: 'no frame within 10000 ms of a ping',
        attempt: 1,
      })
      expectObservable(client.price$(a), subscribed).toBe(expected, { x })
      expectObservable(socket.hangUps$, subscribedHangUps).toBe(hangUps, { '1': 1 })
      expectObservable(socket.dials$, subscribedHangUps).toBe(dials, { '1': 1, '2': 2 })
    })
  })

  it('keeps a socket that answers pings and sends nothing else', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = createScriptedClient(cold('oA', moves), {
        pingInterval: 20,
        pongTimeout: 10,
        staleAfter: 10_000,
      })
      expectObservable(client.price$(a), '^ 9994ms !').toBe('')
    })
  })

  const signs = {
    'a price': server.prices(a, 1),
    'a confirmation': server.confirms(a),
    'an error text': server.says('Error'),
    'a malformed frame': server.says('{}'),
    'a price of another topic': server.prices('svc-0xff', 1),
    'a binary frame': server.sends(Uint8Array.of(1)),
    'a pong': server.pongs,
  }

  it.each(Object.entries(signs))('accepts %s as an answer to a ping', (_name, s) => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('     oA 27ms s', { ...moves, s })
      const subscribed = '       ^ 55ms !'
      const withPrice = '        29ms s 20ms x'
      const withoutPrice = '     50ms x'
      const subscribedHangUps = '^ 54ms !'
      const hangUps = '          50ms 1'
      const { client, socket } = createScriptedClient(
        (dial) => (dial === 1 ? script$ : NEVER),
        { pingInterval: 20, pongTimeout: 10 },
        { answersPings: false },
      )
      const expected = s === signs['a price'] ? withPrice : withoutPrice
      expectObservable(client.price$(a), subscribed).toBe(expected, { s: priceAt(29, a, 1), x: down(1, 125) })
      expectObservable(socket.hangUps$, subscribedHangUps).toBe(hangUps, { '1': 1 })
    })
  })

  it('ignores frames that arrive before the ping', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA 16ms 12', moves)
      const subscribed = '  ^ 35ms !'
      const expected = '    18ms 12 10ms x'
      const { client } = createScriptedClient(
        script$,
        { pingInterval: 20, pongTimeout: 10 },
        { answersPings: false },
      )
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(18, a, 1),
        '2': priceAt(19, a, 2),
        x: down(1, 125),
      })
    })
  })

  it('accepts a `pongTimeout` as long as `pingInterval`', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('oA', moves)
      const subscribed = '  ^ 50ms !'
      const expected = '    40ms x'
      const { client } = createScriptedClient(
        script$,
        { pingInterval: 20, pongTimeout: 20, staleAfter: 1000 },
        { answersPings: false },
      )
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 125) })
    })
  })

  it('resets the ping schedule for each connection', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('oA 27ms x', moves)
      const later$ = cold('oA 27ms p 19ms p', moves)
      const subscribed = ' ^ 110ms !'
      const expected = '   29ms x 70ms y'
      const { client } = createScriptedClient(
        (dial) => (dial === 1 ? first$ : later$),
        { pingInterval: 20, pongTimeout: 10, reconnect: { initialDelay: 2 } },
        { answersPings: false },
      )
      // The second socket opens at 30. Pings: 50, 70, 90. Answers: 59 and 79.
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 1), y: down(2, 2) })
    })
  })
})

describe('unsubscribing and resubscribing while the connection is down', () => {
  it('does not cause a dial loop while dials are pending', () => {
    const transport = new ManualTransport()
    runInVirtualTime(({ at }) => {
      const { client } = createManualClient({ linger: 0, reconnect: { initialDelay: 1000 } }, transport)
      for (let index = 0; index < 1000; index++) {
        at(index * 10, () => {
          const subscription = client.price$(a).subscribe()
          at(index * 10 + 5, () => subscription.unsubscribe())
        })
      }
    })
    // The scenario lasts 10 s, with 0.5 s between two dials on average.
    expect(transport.sockets.length).toBeGreaterThan(10)
    expect(transport.sockets.length).toBeLessThan(25)
  })

  it('does not dial before the retry delay ends, and emits `Disconnected` to each new subscriber', () => {
    const lines: string[] = []
    const pendingTimers = runInVirtualTime(({ now, at: when, after }) => {
      const { client, transport } = createManualClient(
        { linger: 0 },
        new ManualTransport({ onDial: () => lines.push(`${now()} dial`) }),
      )
      const eventLog = createTimedLog({ now })
      const first = client.price$(a).subscribe()
      when(1, () => transport.lastSocket.drop())
      when(2, () => first.unsubscribe())
      for (let time = 3; time < 120; time += 4) {
        when(time, () => {
          const subscription = client.price$(a).subscribe(eventLog.observer('a'))
          after(2, () => subscription.unsubscribe())
        })
      }
      when(125, () => {
        expect(lines).toEqual(['0 dial'])
        expect(eventLog.lines).toHaveLength(30)
        expect(new Set(eventLog.lines.map((line) => line.split(' a: ')[1]))).toEqual(
          new Set(['Disconnected 1']),
        )
      })
    })
    expect(lines).toEqual(['0 dial'])
    expect(pendingTimers).toBe(0)
  })

  it('dials when the retry delay ends, for the subscribers at that time', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('     oA1---x', moves)
      const later$ = cold('     oA-2', moves)
      const subscribed = '      ^------ 10ms !'
      const expected = '        --1---x'
      const subscribedLate = '  100ms ^ 50ms !'
      const expectedLate = '    100ms x 33ms 2'
      const subscribedDials = ' ^ 150ms !'
      const dials = '           1 130ms 2'
      const subscribedStates = '^ 140ms !'
      const states = '          (ico)-w 10ms i 82ms v 30ms (dp)'
      const { client, socket } = createScriptedClient((dial) => (dial === 1 ? first$ : later$))
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(2, a, 1),
        x: down(1, 125),
      })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, {
        x: down(1, 125),
        '2': priceAt(134, a, 2, 2),
      })
      expectObservable(socket.dials$, subscribedDials).toBe(dials, { '1': 1, '2': 2 })
      expectObservable(client.status$, subscribedStates).toBe(states, {
        i: idle,
        c: connecting(1),
        o: open(1, 0),
        w: waiting(1, 125),
        v: waiting(1, 31),
        d: connecting(2),
        p: open(2, 131),
      })
    })
  })

  it('does not reset the failure count', () => {
    const lines: string[] = []
    runInVirtualTime(({ now, at: when, after }) => {
      const { client, transport } = createManualClient({ linger: 0 })
      const eventLog = createTimedLog({ now })
      for (const time of [0, 1000, 2000, 3000]) {
        when(time, () => {
          const subscription = client.price$(a).subscribe(eventLog.observer('a'))
          after(1, () => transport.lastSocket.drop())
          after(2, () => subscription.unsubscribe())
        })
      }
      when(9000, () => lines.push(...eventLog.lines))
    })
    expect(lines).toEqual([
      '1 a: Disconnected 1',
      '1001 a: Disconnected 2',
      '2001 a: Disconnected 3',
      '3001 a: Disconnected 4',
    ])
  })

  it('emits no `Disconnected` to a subscriber after the retry delay', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('   x', moves)
      const later$ = cold('   --oA1', moves)
      const subscribed = '    ^--!'
      const subscribedLate = '200ms ^ 10ms !'
      const expected = '      204ms 1'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : later$))
      expectObservable(client.price$(a), subscribed).toBe('x', { x: down(1, 125) })
      expectObservable(client.price$(a), subscribedLate).toBe(expected, { '1': priceAt(204, a, 1) })
    })
  })

  it('emits `Disconnected` to a subscriber during the next attempt, and to a later one before the first price', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('    x', moves)
      const later$ = cold('    --o', moves)
      const subscribed = '     ^ 140ms !'
      const subscribedLate = ' 126ms ^---!'
      const expected = '       126ms x'
      const subscribedLater = '128ms ^---!'
      const expectedLater = '  128ms x'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : later$))
      expectObservable(client.price$(a), subscribed).toBe('x', { x: down(1, 125) })
      expectObservable(client.price$(b), subscribedLate).toBe(expected, { x: down(1, 125) })
      expectObservable(client.price$(b), subscribedLater).toBe(expectedLater, { x: down(1, 125) })
    })
  })
})

describe('epochs', () => {
  it('count opened connections, not attempts', () => {
    const scripts = ['oA1-x', 'x', 'x', 'oA2']
    marbles(({ cold, expectObservable }) => {
      const script$ = scripts.map((script) => cold(script, moves))
      const { client } = createScriptedClient((dial) => script$[dial - 1] ?? EMPTY, {
        reconnect: { initialDelay: 2, stableAfter: 0 },
      })
      const subscribed = '^ 40ms !'
      const expected = '  --1-xy-z-----2'
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(2, a, 1, 1),
        x: down(1, 1),
        y: down(2, 2),
        z: down(3, 4),
        '2': priceAt(13, a, 2, 2),
      })
    })
  })

  it('continue after the client closed the socket for lack of subscribers', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = createScriptedClient(() => cold('oA1', moves), { linger: 0 })
      const subscribed = '    ^--!'
      const expected = '      --1'
      const subscribedLate = '----------^--!'
      const expectedLate = '  ------------1'
      expectObservable(client.price$(a), subscribed).toBe(expected, { '1': priceAt(2, a, 1, 1) })
      expectObservable(client.price$(a), subscribedLate).toBe(expectedLate, { '1': priceAt(12, a, 1, 2) })
    })
  })
})

describe('a new connection', () => {
  it('requests exactly the topics that have subscribers when it opens', () => {
    const c = 'svc-0xcc'
    let frames: readonly (readonly string[])[] = []
    runInVirtualTime(({ at: when }) => {
      const { client, transport } = createManualClient()
      const subscriptions = ([a, b, c] as const).map((topic) => client.price$(topic).subscribe())
      when(1, () => transport.lastSocket.open())
      when(2, () => transport.lastSocket.deliverConfirmation(a, b, c))
      // This topic lingers when the connection is lost.
      when(3, () => subscriptions[0]!.unsubscribe())
      when(4, () => transport.lastSocket.drop())
      // Subscribers change while the connection is down.
      when(5, () => subscriptions[1]!.unsubscribe())
      when(6, () => subscriptions.push(client.price$('svc-0xDD').subscribe()))
      when(200, () => transport.lastSocket.open())
      when(5000, () => {
        frames = transport.sockets.map((socket) => socket.frames.toSorted())
        for (const subscription of subscriptions) subscription.unsubscribe()
      })
    })
    expect(frames).toEqual([
      [subscribeFrame(a), subscribeFrame(b), subscribeFrame(c)],
      [subscribeFrame('svc-0xDD'), subscribeFrame(c)],
    ])
  })

  it('is not dialled for lingering topics', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('   oA---x', moves)
      const subscribed = '     ^--!'
      const subscribedDials = '^ 90s !'
      const expected = '       (ico)(wi)'
      const { client, socket } = createScriptedClient(script$)
      expectObservable(client.price$(a), subscribed).toBe('')
      expectObservable(socket.dials$, subscribedDials).toBe('1', { '1': 1 })
      expectObservable(client.status$, subscribedDials).toBe(expected, {
        i: idle,
        c: connecting(1),
        o: open(1, 0),
        w: waiting(1, 125),
      })
    })
  })

  it('requires new confirmations', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('oA1-x', moves)
      const subscribed = ' ^ 190ms !'
      const expected = '   --1-x 174ms t'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : cold('o', moves)), {
        confirmTimeout: 50,
      })
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(2, a, 1),
        x: down(1, 125),
        t: leftWith({ _tag: 'SubscriptionTimeout', afterMs: 50 }),
      })
    })
  })
})

describe('status$', () => {
  it('emits the current state on subscribe, then each change', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('     -----o-x', moves)
      const later$ = cold('     --o', moves)
      const subscribed = '      ^ 199ms !'
      const expected = '        -------x'
      const subscribedStates = '^ 250ms !'
      const states = '          (ic)-o-w 124ms d-p 65ms i'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : later$), { linger: 0 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 125) })
      expectObservable(client.status$, subscribedStates).toBe(states, {
        i: idle,
        c: connecting(1),
        o: open(1, 5),
        w: waiting(1, 125),
        d: connecting(2),
        p: open(2, 134),
      })
    })
  })

  it('is `Connecting` while the redial after an aborted dial is delayed', () => {
    const statuses: string[] = []
    const dials: number[] = []
    runInVirtualTime(
      ({ now, at: when }) => {
        const { client, socket } = createScriptedClient(NEVER)
        socket.dials$.subscribe(() => dials.push(now()))
        client.status$.subscribe(({ _tag }) => statuses.push(`${now()} ${_tag}`))
        const first = client.price$(a).subscribe()
        when(1, () => first.unsubscribe())
        when(5, () => client.price$(a).subscribe())
      },
      { endsAt: 200 },
    )
    expect(dials).toEqual([0, 125])
    expect(statuses).toEqual(['0 Idle', '0 Connecting', '1 Idle', '5 Connecting'])
  })

  it('replays only the current state to a late subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const first$ = cold('    --o-x', moves)
      const later$ = cold('    --o', moves)
      const subscribed = '     ^ 199ms !'
      const expected = '       ----x'
      const whileConnecting = '-^!'
      const state1 = '         -c'
      const whileOpen = '      ---^!'
      const state2 = '         ---o'
      const whileWaiting = '   ------^!'
      const state3 = '         ------w'
      const atTheEnd = '       210ms ^!'
      const state4 = '         210ms i'
      const { client } = createScriptedClient((dial) => (dial === 1 ? first$ : later$), { linger: 0 })
      expectObservable(client.price$(a), subscribed).toBe(expected, { x: down(1, 125) })
      expectObservable(client.status$, whileConnecting).toBe(state1, { c: connecting(1) })
      expectObservable(client.status$, whileOpen).toBe(state2, { o: open(1, 2) })
      expectObservable(client.status$, whileWaiting).toBe(state3, { w: waiting(1, 125) })
      expectObservable(client.status$, atTheEnd).toBe(state4, { i: idle })
    })
  })

  it('emits `Closed` and completes when the client closes in any state, also for a late subscriber', () => {
    for (const script of ['--', 'o', 'x', 'oA1']) {
      marbles(({ cold, expectObservable }) => {
        const script$ = cold(script, moves)
        const closing$ = cold('  20ms c')
        const subscribedLate = ' 10ms ^'
        const lateStates = '     10ms s 9ms (c|)'
        const subscribedLater = '30ms ^'
        const laterStates = '    30ms (c|)'
        const { client } = createScriptedClient((dial) => (dial === 1 ? script$ : NEVER))
        client.price$(a).subscribe()
        closing$.subscribe(() => void client.close())
        expectObservable(client.status$, subscribedLate).toBe(lateStates, {
          s: expect.objectContaining({
            _tag: expect.stringMatching(/Connecting|Open|Waiting/) as string,
          }) as object,
          c: closed,
        })
        expectObservable(client.status$, subscribedLater).toBe(laterStates, { c: closed })
      })
    }
  })
})
