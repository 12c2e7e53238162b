import { concat, map, NEVER, takeUntil, timer, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { Lag } from '../../../src/wire/socket/lag.js'
import type { Clock } from '../../../src/base/time/clock.js'
import {
  a,
  b,
  createScriptedClient,
  leftWith,
  marbles,
  priceAt,
  subscribeFrame,
  unsubscribeFrame,
} from '../../support/time/marbles.js'
import { server } from '../../support/time/scripted-socket.js'

// The connection opens at 1. With `maxLag: 80` the client sends pings at 1, 11.25, 21.25 and so on. Pongs answer in order.

const moves = {
  o: server.opens,
  A: server.confirms(a),
  B: server.confirms(a, b),
  C: server.confirms(b),
  p: server.pongs,
  '1': server.prices(a, 1),
  '2': server.prices(a, 2),
  '3': server.prices(a, 3),
  '4': server.prices(b, 4),
  '5': server.prices(b, 5),
}

const options = { maxLag: 80, reconnect: { initialDelay: 20, maxDelay: 20 } }
const unanswered = { answersPings: false }

/** The script does not close the connection at its end. */
const concatNever = <A>(script$: Observable<A>): Observable<A> => concat(script$, NEVER)

/** Keeps a stream subscribed until this time. */
const subscribeUntil = (ms: number, stream$: Observable<unknown>): void => {
  stream$.pipe(takeUntil(timer(ms))).subscribe()
}

const behind = (behindMs: number) => leftWith({ _tag: 'Stale', behindMs })
const open = { _tag: 'Open', epoch: 1, since: 1 }

describe('a connection whose newest answered ping is older than maxLag', () => {
  it('holds prices, emits one Stale with behindMs, and delivers the newest price when a ping is answered in time', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 37ms 2 49ms 3 4ms 2 4ms p p'
      const subscribed = '^ 111ms !'
      const expected = '  ---1 46ms 2 49ms s 10ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        '2': priceAt(50, a, 2),
        s: leftWith({
          _tag: 'Stale',
          behindMs: 89,
          message: expect.stringContaining('the prices may be 89 ms behind') as string,
        }),
        // The ping of 21.25 is answered at 110, after 88.75 ms; that of 31.25 at 111.
        r: priceAt(11, a, 2),
      })
    })
  })

  it('delivers no price again that it received before it had left the topic', () => {
    marbles(({ cold, expectObservable }) => {
      // A gateway drops a price that waits when the topic is left: the answers from 110 to 112 do not prove the price of 100.
      const script$ = cold('  -oB1 7ms pp 87ms 2 9ms p p p A - 3', moves)
      const subscribed = '    98ms ^ 20ms !'
      const expected = '      115ms 3'
      const subscribedSent = '-^ 115ms !'
      const sent = '          -(ba) 92ms A a'
      const { client, socket } = createScriptedClient(script$, { ...options, linger: 0 }, unanswered)
      subscribeUntil(130, client.price$(b))
      subscribeUntil(97, client.price$(a))
      expectObservable(client.price$(a), subscribed).toBe(expected, { '3': priceAt(115, a, 3) })
      expectObservable(socket.sent$, subscribedSent).toBe(sent, {
        ...{ a: subscribeFrame(a), b: subscribeFrame(b), A: unsubscribeFrame(a) },
      })
    })
  })

  it('has a status with behindMs until it has caught up', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 87ms 2 9ms p p'
      const subscribed = '---^ 110ms !'
      const expected = '  ---o 96ms b 10ms o'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      expectObservable(client.status$, subscribed).toBe(expected, { o: open, b: { ...open, behindMs: 89 } })
    })
  })

  it('is behind for each topic: a quiet one becomes stale too, and then emits its last price again', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oB(14) 4ms pp 87ms 2 9ms p p'
      const subscribed = '^ 111ms !'
      const expectedA = ' ---1 96ms s 10ms r'
      const expectedB = ' ---4 96ms s 10ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      expectObservable(client.price$(a), subscribed).toBe(expectedA, {
        '1': priceAt(3, a, 1),
        s: behind(89),
        r: priceAt(11, a, 2),
      })
      expectObservable(client.price$(b), subscribed).toBe(expectedB, {
        '4': priceAt(3, b, 4),
        s: behind(89),
        r: priceAt(3, b, 4),
      })
    })
  })

  it('passes no price to a new subscriber, but Stale with behindMs', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 87ms 2 9ms p p'
      const subscribed = '103ms ^ 8ms !'
      const expected = '  103ms s 7ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      expectObservable(client.price$(a), subscribed).toBe(expected, { s: behind(92), r: priceAt(11, a, 2) })
    })
  })

  it('has no live topic either when prices arrive while it is behind', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 87ms 2 3ms 3 5ms p p'
      const subscribed = '106ms ^ 5ms !'
      const expected = '  106ms s 4ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      const late$ = client.price$(a).pipe(map((event) => [event, client.inspect().topics[0]?.state]))
      expectObservable(late$, subscribed).toBe(expected, {
        s: [behind(95), 'stale'],
        r: [priceAt(11, a, 3), 'live'],
      })
    })
  })

  it('gives a late subscriber of a topic that has no price its `Stale`, also when it has caught up', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '         -oA1 7ms pp 87ms 2 3ms C 5ms ppp'
      const subscribedLate = ' 102ms ^ 12ms !'
      const expected = '       104ms s'
      const subscribedLater = '113ms ^ 2ms !'
      const expectedLater = '  113ms s'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      expectObservable(client.price$(b), subscribedLate).toBe(expected, { s: behind(93) })
      expectObservable(client.price$(b), subscribedLater).toBe(expectedLater, { s: behind(93) })
    })
  })

  it('makes a topic that is confirmed meanwhile stale, and holds its first price', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 87ms 2 3ms C4 3ms p p'
      const subscribed = '102ms ^ 9ms !'
      const expected = '  104ms s 5ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      expectObservable(client.price$(b), subscribed).toBe(expected, { s: behind(93), r: priceAt(11, b, 4) })
    })
  })

  it('counts the age of a held price from the newest answered ping, for late subscribers too', () => {
    marbles(({ cold, expectObservable }) => {
      const script = '    -oA1 7ms pp 87ms 2 9ms ppp'
      const subscribed = '113ms ^ 2ms !'
      const expected = '  113ms r'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      // It has arrived at 100. The ping of 11.25 was answered then.
      expectObservable(client.price$(a), subscribed).toBe(expected, { r: priceAt(11, a, 2) })
    })
  })

  it('shows no topic as live in inspect()', () => {
    marbles(({ cold, flush }) => {
      const script = ' -oB(14) 4ms pp 87ms 2'
      const { client } = createScriptedClient(cold(script, moves), options, unanswered)
      subscribeUntil(130, client.price$(a))
      const states: unknown[] = []
      const subscription = client.price$(b).subscribe((event) => {
        states.push([event._tag, client.inspect().topics.map(({ state }) => state)])
        if (event._tag === 'Left') void client.close()
      })
      flush()
      subscription.unsubscribe()
      expect(states).toEqual([
        ['Right', ['live', 'live']],
        ['Left', ['stale', 'stale']],
      ])
    })
  })

  it('is replaced when it stays behind for longer than maxLag, and the reason says by how much', () => {
    marbles(({ cold, expectObservable }) => {
      const first = cold(' -oA1 7ms pp 87ms 2', moves)
      const second = cold('-oA3', moves)
      const subscribed = ' ^ 200ms !'
      const expected = '   ---1 96ms s 79ms d 12ms 3'
      const { client } = createScriptedClient(
        (dial) => (dial === 1 ? concatNever(first) : second),
        options,
        unanswered,
      )
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        s: behind(89),
        d: leftWith({
          _tag: 'Disconnected',
          code: 1006,
          attempt: 1,
          retryInMs: 10,
          reason: 'the prices are 169 ms behind, for more than 80 ms',
        }),
        '3': priceAt(193, a, 3, 2),
      })
    })
  })
})

describe('a connection without prices', () => {
  it('is behind after two checks without an answer', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('-oA1 7ms pp 130ms ppppppppppp', moves)
      const subscribed = '  ^ 150ms !'
      const expected = '    ---1 107.25ms s 35.75ms r'
      const { client } = createScriptedClient(script$, options, unanswered)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        s: behind(100),
        r: priceAt(3, a, 1),
      })
    })
  })
})

describe('a connection that is not behind', () => {
  it.each([
    ['whose URL has never answered a ping', {}, '--'],
    ['whose client has maxLag: Infinity', { maxLag: Infinity }, 'pp'],
  ])('is one %s', (_what, more, pong) => {
    marbles(({ cold, expectObservable }) => {
      const script = cold(`-oA1 7ms ${pong} 300ms 2`, moves)
      const { client } = createScriptedClient(script, { ...options, ...more }, unanswered)
      const subscribed = '^ 320ms !'
      const expected = '  ---1 309ms 2'
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        '2': priceAt(313, a, 2),
      })
    })
  })

  it('is one that answers each ping, however quiet its market is', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('-oA1 500ms 2', moves)
      const subscribed = '  ^ 510ms !'
      const expected = '    ---1 500ms 2'
      const { client } = createScriptedClient(script$, options)
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        '2': priceAt(504, a, 2),
      })
    })
  })
})

describe('a URL that has answered a ping', () => {
  it('is measured on its next connection too, from the time at which that opened', () => {
    marbles(({ cold, expectObservable }) => {
      const first = cold(' -oA1 7ms ppx', { ...moves, x: server.closes() })
      const second = cold('-oA2 40ms 3 60ms 2', moves)
      const subscribed = ' ^ 125ms !'
      const expected = '   ---1 9ms d 12ms 2 40ms 3 46.25ms s'
      const { client } = createScriptedClient(
        (dial) => (dial === 1 ? first : concatNever(second)),
        options,
        unanswered,
      )
      expectObservable(client.price$(a), subscribed).toBe(expected, {
        '1': priceAt(3, a, 1),
        d: leftWith({ _tag: 'Disconnected' }),
        '2': priceAt(26, a, 2, 2),
        '3': priceAt(67, a, 3, 2),
        s: behind(90),
      })
    })
  })
})

/** A clock whose time, timers and poll phases a test controls. */
class ManualClock implements Clock {
  readonly isVirtual = false
  ms = 1_000
  private reads: (() => void)[] = []

  readonly elapsed = (): number => this.ms
  readonly wallClock = (): number => this.ms
  /** No timer fires: the event loop is blocked. */
  readonly startInterval = () => () => undefined
  readonly startImmediate = () => () => undefined
  readonly afterRead = (callback: () => void) => {
    this.reads.push(callback)
    return () => (this.reads = this.reads.filter((read) => read !== callback))
  }

  /** The end of a poll phase. */
  endPoll(): void {
    const { reads } = this
    this.reads = []
    for (const read of reads) read()
  }
}

describe('between timers', () => {
  const openLag = (maxLag: number, hasPings = true) => {
    const clock = new ManualClock()
    const probes: number[] = []
    const events: string[] = []
    let activity = 0
    const lag = new Lag(
      {
        clock,
        maxLag,
        maxFramesPerSecond: Infinity,
        probeSupport: { isProven: true },
        onMeasured: () => undefined,
      },
      {
        hasPings,
        connectMs: 0,
        activityCount: () => activity,
        get prices() {
          return activity
        },
        isMeasurable: () => true,
        measure: () => probes.push(clock.ms) > 0,
        terminate: (reason) => events.push(reason),
      },
      {
        onBehind: (behindMs) => events.push(`behind ${behindMs}`),
        onCaughtUp: (wasBehind) => events.push(wasBehind ? 'caught up' : 'current'),
      },
    )
    lag.start()
    return { clock, lag, probes, events, receive: () => activity++ }
  }

  it('prices send the probes that are due', () => {
    const { clock, lag, probes } = openLag(80)
    for (let price = 0; price < 40; price++) {
      clock.ms += 1
      if (clock.ms >= lag.checkAt) lag.onFrame(clock.ms)
    }
    expect(probes).toEqual([1_010, 1_020, 1_030, 1_040])
  })

  it('a probe without pings whose answer is lost is followed by another one, also without a limit of the age', () => {
    const { clock, lag, probes } = openLag(Infinity, false)
    clock.ms += 1_000
    lag.request(0)
    clock.ms += 1_000
    lag.request(0)
    expect(probes).toHaveLength(1)
    clock.ms += 2_000
    lag.request(0)
    expect(probes).toHaveLength(2)
  })

  it('a connection is behind only once a poll phase has brought neither data nor an answer', () => {
    const maxLag = 80
    const { clock, lag, events, receive } = openLag(maxLag)
    clock.ms += 2 * maxLag
    expect(lag.isInTime(clock.ms)).toBe(false)
    lag.onHeld(clock.ms)
    receive()
    clock.endPoll()
    expect(events).toEqual([])
    lag.onAnswer(clock.ms)
    clock.endPoll()
    expect(events).toEqual(['current'])

    clock.ms += 2 * maxLag
    lag.onHeld(clock.ms)
    clock.endPoll()
    expect(events).toEqual(['current', `behind ${2 * maxLag}`])
  })

  it('prices stay current if two gateways prolong every other round trip by an interval each', () => {
    const { clock, lag, probes } = openLag(1_000)
    const roundTrip = 800
    let sent = 0
    const answers: { readonly sentAt: number; readonly at: number }[] = []
    const late: number[] = []
    for (let price = 0; price < 10_000; price++) {
      clock.ms += 1
      if (clock.ms >= lag.checkAt) lag.onFrame(clock.ms)
      if (!lag.isInTime(clock.ms)) late.push(clock.ms)
      for (const sentAt of probes.slice(sent)) {
        const interval = sentAt - (probes[sent - 1] ?? sentAt)
        const wait = sent > 10 && sent % 2 === 0 ? 2 * interval : 0
        answers.push({ sentAt, at: Math.max(answers.at(-1)?.at ?? 0, sentAt + roundTrip + wait) })
        sent++
      }
      for (const { sentAt, at } of answers) if (at === clock.ms) lag.onAnswer(sentAt)
    }
    expect(late).toEqual([])
  })

  it('a connection whose round trip is close to maxLag is seldom behind and in time in turn', () => {
    const { clock, lag, probes, events } = openLag(1_000)
    const roundTrip = 990
    let answered = 0
    while (clock.ms < 11_000) {
      clock.ms += 1
      lag.onFrame(clock.ms)
      if (!lag.isInTime(clock.ms)) lag.onHeld(clock.ms)
      clock.endPoll()
      const sentAt = probes[answered]
      if (sentAt === undefined || clock.ms < sentAt + roundTrip) continue
      lag.onAnswer(sentAt)
      answered++
    }
    const timesBehind = events.filter((event) => event.startsWith('behind')).length
    expect(timesBehind).toBeGreaterThan(5)
    expect(timesBehind).toBeLessThan(20)
  })
})
