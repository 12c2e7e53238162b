import { right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import type { ConsumedTopic } from '../../../src/gateway/subscriptions/topic-feed.js'
import { asciiFrame } from '../../../src/gateway/websocket/text-frame.js'
import { Outbox } from '../../../src/gateway/websocket/outbox.js'
import { CheckTimer } from '../../../src/gateway/websocket/check-timer.js'
import { currentClock, nextTurn } from '../../../src/base/time/clock.js'
import { marbles } from '../../support/time/marbles.js'
import { createManualSession, createManualSessions, type ManualSession } from '../support/manual-session.js'
import { unboundedFeed } from '../support/unbounded-feed.js'

const topicOf = (currentFrame: () => string | undefined): ConsumedTopic => ({
  base: '0x1',
  topic: 'svc-0x1',
  isConfirmed: true,
  position: undefined,
  currentFrame,
  isUncertain: () => false,
})

describe('a connection', () => {
  it('writes the frames of a tick once, after it', async () => {
    const outbox = new Outbox()
    const [first, second] = [createManualSession({ outbox }), createManualSession({ outbox })]
    first.session.sendText('a')
    second.session.sendText('a')
    first.session.sendText('größer')
    expect([first.log, second.log]).toEqual([[], []])
    await nextTurn()
    expect([first.log, second.log]).toEqual([['a', 'größer'], ['a']])
    second.session.sendText('b')
    await nextTurn()
    expect([first.log, second.log]).toEqual([
      ['a', 'größer'],
      ['a', 'b'],
    ])
  })

  it('sends what is pending before the close frame, and nothing after it', async () => {
    const { session, log } = createManualSession()
    session.sendText('a')
    session.end('service-down', 'down', 1)
    session.sendText('b')
    session.end('closing', 'twice', 1)
    await nextTurn()
    expect(log.slice(0, 2)).toEqual(['a', 'close 1013 down'])
    session.onClosed()
    expect(log).not.toContain('b')
  })

  it('is ended when the consumer does not answer the close frame in time', () => {
    marbles(({ flush, hot }) => {
      const { session, log } = createManualSession()
      session.end('service-down', 'down', 5)
      hot('----x').subscribe(() => expect(log).toEqual(['close 1013 down']))
      flush()
      expect(log).toEqual(['close 1013 down', 'terminate'])
    })
  })

  it('is not ended later once it is closed', () => {
    marbles(({ flush }) => {
      const { session, log } = createManualSession()
      session.end('service-down', 'down', 5)
      session.onClosed()
      flush()
      expect(log).toEqual(['close 1013 down'])
    })
  })

  it('has 10 s to read its backlog when it is too far behind', () => {
    marbles(({ flush, hot }) => {
      const { session, log, setUnsent } = createManualSession({ maxBufferedBytes: 1000 })
      setUnsent(1000)
      session.write(Buffer.from('\x81\x01a', 'latin1'))
      expect(log).toEqual(['a'])
      setUnsent(1001)
      session.write(Buffer.from('\x81\x01b', 'latin1'))
      const expected = ['a', 'b', 'close 1013 too far behind: more than 1000 bytes are unsent']
      hot('9999ms x').subscribe(() => expect(log).toEqual(expected))
      flush()
      expect(log).toEqual([...expected, 'terminate'])
    })
  })
})

/** A session that holds prices: a marker is late. The last written marker has the id 2. */
const createHoldingSession = async (config: Parameters<typeof createManualSession>[0] = {}) => {
  let now = 0
  const manual = createManualSession({ now: () => now, ...config })
  const { session, log } = manual
  let current: string | undefined
  const topic = topicOf(() => (current === undefined ? undefined : asciiFrame(`${current} aged`)))
  const setPrice = (price: string): void => {
    current = price
    session.send(asciiFrame(price), topic)
  }
  session.check()
  session.onPong('1')
  setPrice('a')
  await nextTurn()
  now = 1_000
  session.check()
  now = 2_000
  session.check()
  expect(log).toEqual(['ping 1', 'a', 'ping 2', 'behind'])
  const pass = (ms: number): void => void (now += ms)
  return { ...manual, setPrice, becomesStale: () => (current = undefined), pass, startAt: log.length }
}

describe('a consumer that is behind', () => {
  it('gets the newest price of a topic, with its age, when the last marker is answered', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    setPrice('b')
    setPrice('c')
    await nextTurn()
    expect(log.slice(startAt)).toEqual([])
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['ping 3', 'c aged'])
    expect([session.droppedPrices, session.isBehind]).toEqual([1, true])
  })

  it('gets prices in one tick between two checks, and the newest of the others at the next check', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    session.onPong('2')
    setPrice('b')
    await nextTurn()
    expect(log.slice(startAt)).toEqual(['ping 3'])
    session.check()
    expect(log.slice(startAt)).toEqual(['ping 3', 'b aged'])
    session.check()
    setPrice('c')
    setPrice('d')
    await nextTurn()
    setPrice('e')
    setPrice('f')
    await nextTurn()
    expect(log.slice(startAt)).toEqual(['ping 3', 'b aged', 'c', 'd'])
    session.check()
    expect(log.slice(startAt)).toEqual(['ping 3', 'b aged', 'c', 'd', 'f aged'])
    expect(session.droppedPrices).toBe(1)
  })

  it('gets no held price once a later price of its topic is sent behind a text of the same tick', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    session.onPong('2')
    setPrice('b')
    session.sendText('text')
    setPrice('c')
    await nextTurn()
    session.check()
    expect(log.slice(startAt)).toEqual(['ping 3', 'text', 'c aged'])
    expect(session.droppedPrices).toBe(1)
  })

  it('is ended if a held price has become stale: an answer to its ping would make an earlier price current', async () => {
    const { session, log, setPrice, becomesStale, pass, startAt } = await createHoldingSession()
    setPrice('b')
    session.onPing(Buffer.from('id'))
    pass(5_001)
    becomesStale()
    session.onPong('2')
    expect(log.slice(startAt)).toEqual([
      'ping 3',
      expect.stringMatching(
        /^close 1013 too far behind: the price of \S+ was not sent before it became stale$/,
      ),
    ])
  })

  it('gets no held price that was nearly stale when its topic was added', async () => {
    const { session, log, setPrice, becomesStale, pass, startAt } = await createHoldingSession()
    setPrice('b')
    pass(5_000)
    becomesStale()
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['ping 3'])
    expect(session.droppedPrices).toBe(1)
  })

  it('can count the prices after a held price that was not sent: the next one has its position', async () => {
    const { session, log, setPrice, becomesStale, startAt } = await createHoldingSession()
    setPrice('b')
    becomesStale()
    session.onPong('2')
    session.onPong('3')
    setPrice('c')
    setPrice('d')
    await nextTurn()
    expect(log.slice(startAt)).toEqual(['ping 3', 'c aged', 'd'])
  })

  it('gets the answer to its ping behind the prices that were held by then, so that none of them is older', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    setPrice('b')
    session.onPing(Buffer.from('id'))
    setPrice('c')
    expect(log.slice(startAt)).toEqual([])
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['ping 3', 'c aged', 'pong id'])
    session.onPing(Buffer.from('next'))
    expect(log.slice(startAt + 3)).toEqual(['pong next'])
  })

  it('gets the answer to its ping once what the gateway has is current, and new prices meanwhile', async () => {
    let isUpToDate = false
    const { session, log } = createManualSession({ isUpToDate: () => isUpToDate })
    session.onPing(Buffer.from('id'))
    session.check()
    session.sendText('a')
    await nextTurn()
    expect(log).toEqual(['ping 1', 'a'])
    isUpToDate = true
    session.check()
    expect(log.slice(0, 3)).toEqual(['ping 1', 'a', 'pong id'])
  })

  it('gets the answer to a repeated subscribe message behind the held prices too: a page has no pings', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    setPrice('b')
    session.confirm(
      topicOf(() => undefined),
      true,
    )
    // Later answers do not overtake it.
    session.confirm()
    setPrice('c')
    await nextTurn()
    expect(log.slice(startAt)).toEqual([])
    session.onPong('2')
    await nextTurn()
    const [ping, price, first, second] = log.slice(startAt).filter((line) => !line.startsWith('ping 4'))
    expect([ping, price]).toEqual(['ping 3', 'c aged'])
    expect([first, second]).toEqual(['{"subscriptions":[]}', '{"subscriptions":[]}'])
  })

  it('gets the answer to a repeated subscribe message once what the gateway has is current, to a first one at once', async () => {
    let isUpToDate = false
    const { session, log } = createManualSession({ isUpToDate: () => isUpToDate })
    session.confirm(topicOf(() => undefined))
    await nextTurn()
    expect(log).toEqual(['{"subscriptions":[]}'])
    session.confirm(
      topicOf(() => undefined),
      true,
    )
    session.check()
    await nextTurn()
    const answers = () => log.filter((line) => line.startsWith('{'))
    expect(answers()).toHaveLength(1)
    isUpToDate = true
    session.check()
    await nextTurn()
    expect(answers()).toHaveLength(2)
  })

  it('gets the answers to its pings in order, once the service has answered a later probe, and prices meanwhile', async () => {
    let [now, answeredAt] = [0, -1]
    const spacings: number[] = []
    const requestProbe = (spacing: number) => {
      spacings.push(spacing)
      const at = now
      return () => answeredAt < at
    }
    const { session, log } = createManualSession({ now: () => now, requestProbe })
    session.onPing(Buffer.from('a'))
    session.confirm(
      topicOf(() => undefined),
      true,
    )
    now = 10
    session.onPing(Buffer.from('b'))
    session.send(
      asciiFrame('price'),
      topicOf(() => undefined),
    )
    // Without the gateway's own pings.
    const sent = () => log.filter((line) => !line.startsWith('ping'))
    await nextTurn()
    expect(sent()).toEqual(['price'])
    answeredAt = 5
    session.onMeasured()
    await nextTurn()
    expect(sent()).toEqual(['price', 'pong a', '{"subscriptions":[]}'])
    answeredAt = 10
    session.onMeasured()
    expect(sent()).toEqual(['price', 'pong a', '{"subscriptions":[]}', 'pong b'])
    // Each request is as far from the last probe as from the consumer's request before.
    expect(spacings).toEqual([5, 5, 10])
  })

  it('gets the prices that are held when an answer may be sent before it, also if the message came before the prices', async () => {
    let isUnproven = true
    const { session, log, setPrice, startAt } = await createHoldingSession({
      requestProbe: () => () => isUnproven,
    })
    session.onPing(Buffer.from('x'))
    session.onPing(Buffer.from('y'))
    setPrice('b')
    isUnproven = false
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['ping 3', 'b aged', 'pong x', 'pong y'])
  })

  it('gets at most 32 delayed answers to repeated subscribe messages', async () => {
    let isUpToDate = false
    const { session, log } = createManualSession({ isUpToDate: () => isUpToDate })
    for (let count = 0; count < 100; count++)
      session.confirm(
        topicOf(() => undefined),
        true,
      )
    isUpToDate = true
    session.check()
    await nextTurn()
    expect(log.filter((line) => line.startsWith('{'))).toHaveLength(32)
  })

  it('gets the answers to its first 127 pings and to its last one, if it sends many while prices are held', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    setPrice('b')
    for (let id = 1; id <= 200; id++) session.onPing(Buffer.from(String(id)))
    session.onPong('2')
    const pongs = Array.from({ length: 127 }, (_, index) => `pong ${index + 1}`)
    expect(log.slice(startAt)).toEqual(['ping 3', 'b aged', ...pongs, 'pong 200'])
  })

  it('gets no more prices at once than the window has room for: 512 bytes at first, then twice as many', async () => {
    const { session, log, startAt } = await createHoldingSession()
    const names = Array.from({ length: 12 }, (_, index) => String(index).padEnd(98))
    for (const name of names)
      session.send(
        '',
        topicOf(() => asciiFrame(name)),
      )
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['ping 3', ...names.slice(0, 5), 'ping 4'])
    session.onPong('4')
    expect(log.slice(startAt + 7)).toEqual(['ping 5', ...names.slice(5)])
    expect(session.droppedPrices).toBe(0)
  })

  it('gets texts at once, and no held price before the close frame', async () => {
    const { session, log, setPrice, startAt } = await createHoldingSession()
    setPrice('b')
    session.sendText('text')
    session.end('closing', 'bye', 1)
    session.onPong('2')
    expect(log.slice(startAt)).toEqual(['text', 'close 1001 bye'])
    session.onClosed()
  })

  it('is not ended because of its prices, but of more than maxBufferedBytes behind them', () => {
    const { session, log, setUnsent } = createManualSession({ maxBufferedBytes: 1000 })
    const text = Buffer.from('\x81\x01a', 'latin1')
    session.check()
    session.onPong('1')
    setUnsent(5_000)
    session.write(text)
    expect(log.slice(1)).toEqual(['a', 'ping 2', 'behind'])
    setUnsent(6_000)
    session.write(text)
    expect(log.at(-1)).toBe('a')
    setUnsent(6_001)
    session.write(text)
    expect(log.at(-1)).toBe('close 1013 too far behind: more than 1000 bytes are unsent')
    session.onClosed()
  })
})

describe('many prices that were held before the first answer', () => {
  it('are sent in probes: each has twice the room of the one before, and none makes the consumer behind', () => {
    const { session, log } = createManualSession({ maxBufferedBytes: Infinity })
    const names = Array.from({ length: 450 }, (_, index) => String(index).padEnd(98))
    session.check()
    session.sendText('x'.repeat(7_000))
    for (const name of names)
      session.send(
        '',
        topicOf(() => asciiFrame(name)),
      )
    expect(log).toEqual(['ping 1', 'x'.repeat(7_000), 'ping 2'])
    session.onPong('2')
    expect(log.slice(3)).toEqual(['ping 3', ...names.slice(0, 122), 'ping 4'])
    session.onPong('4')
    expect(log.slice(127)).toEqual(['ping 5', ...names.slice(122, 367), 'ping 6'])
    session.onPong('6')
    expect(log.slice(374)).toEqual(['ping 7', ...names.slice(367)])
    expect(session.droppedPrices).toBe(0)
  })
})

describe('a price behind many answers', () => {
  const topic = topicOf(() => asciiFrame('price aged'))
  const answersOf = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => String(index).padEnd(1_000))
  const answers = answersOf(13)

  it('waits for their pong, and the consumer is behind once that is late', async () => {
    let now = 0
    const { session, log } = createManualSession({ now: () => now, maxBufferedBytes: Infinity })
    session.check()
    session.onPong('1')
    for (const answer of answers) session.sendText(answer)
    session.send(asciiFrame('price'), topic)
    await nextTurn()
    expect(log).toEqual(['ping 1', ...answers, 'ping 2'])
    now = 300
    session.check()
    expect([log.at(-1), session.isBehind]).toEqual(['ping 2', false])
    now = 301
    session.check()
    expect([log.at(-1), session.isBehind]).toEqual(['behind', true])
    session.onPong('2')
    expect(log.slice(16)).toEqual(['ping 3', 'price aged'])
  })

  it('does not wait behind less than 12 kB, unless it is the last price of a new topic', async () => {
    const { session, log } = createManualSession({ maxBufferedBytes: Infinity })
    session.check()
    session.onPong('1')
    for (const answer of answersOf(7)) session.sendText(answer)
    session.send(topic.currentFrame() ?? '', topic, false)
    session.send(
      asciiFrame('price'),
      topicOf(() => undefined),
    )
    await nextTurn()
    expect(log).toEqual(['ping 1', ...answersOf(7), 'ping 2', 'price'])
    session.onPong('2')
    expect(log.slice(10)).toEqual(['price aged'])
    expect(session.droppedPrices).toBe(0)
  })

  it('waits for the first answer of the consumer, which may follow a long upload', () => {
    let now = 0
    const { session, log } = createManualSession({ now: () => now, maxBufferedBytes: Infinity })
    session.check()
    for (const answer of answers) session.sendText(answer)
    session.send(asciiFrame('price'), topic)
    now = 10_000
    session.check()
    expect(log).toEqual(['ping 1', ...answers, 'ping 2'])
    session.onPong('2')
    expect(log).toEqual(['ping 1', ...answers, 'ping 2', 'ping 3', 'price aged'])
    expect([session.isBehind, session.droppedPrices]).toEqual([false, 0])
  })
})

describe('a consumer that reads nothing', () => {
  it('is ended when the pongs that it requests exceed maxBufferedBytes', () => {
    const { session, log, setUnsent } = createManualSession({ maxBufferedBytes: 1000 })
    setUnsent(1000)
    session.onPing(Buffer.from('a'))
    expect(log).toEqual(['pong a'])
    setUnsent(1001)
    session.onPing(Buffer.from('b'))
    expect(log.at(-1)).toBe('close 1013 too far behind: more than 1000 bytes are unsent')
    session.onClosed()
  })

  it('is ended when it forges the pong of a ping that is unsent', () => {
    const { session, log, setUnsent } = createManualSession({ maxBufferedBytes: 1000 })
    session.check()
    session.onPong('1')
    setUnsent(1500)
    session.write(Buffer.from('\x81\x01a', 'latin1'))
    expect(log.slice(1)).toEqual(['a', 'ping 2', 'behind'])
    // Three bytes, and up to 1000 of what is no price, may have been written behind the ping.
    session.write(Buffer.from('\x81\x01b', 'latin1'))
    setUnsent(1003)
    session.onPong('2')
    expect(log.at(-1)).not.toMatch('close')
    setUnsent(1500)
    session.write(Buffer.from('\x81\x01c', 'latin1'))
    session.onPong(log.findLast((each) => each.startsWith('ping'))!.slice('ping '.length))
    expect(log.at(-1)).toBe('close 1013 too far behind: more than 1000 bytes are unsent')
    session.onClosed()
  })
})

describe('the pings of a gateway', () => {
  it('are sent every 15 s, and end a connection that has not answered any for 30 s', () => {
    let now = 0
    const [silent, alive] = [createManualSession({ now: () => now }), createManualSession({ now: () => now })]
    const check = (at: number): void => {
      now = at
      for (const { session } of [silent, alive]) session.check()
    }
    for (const { session } of [silent, alive]) session.check()
    check(14_999)
    expect(silent.log).toEqual(['ping 1'])
    check(15_000)
    expect(silent.log).toEqual(['ping 1', 'ping 2'])
    check(29_999)
    alive.session.onPong('any payload')
    expect([silent.session.endCause, silent.log.at(-1)]).toEqual(['consumer', 'ping 2'])
    check(30_000)
    expect([silent.session.endCause, silent.log.at(-1)]).toEqual(['no-pong', 'terminate'])
    expect(alive.log).toEqual(['ping 1', 'ping 2', 'ping 3'])
    check(59_998)
    expect(alive.log).not.toContain('terminate')
    check(59_999)
    expect(alive.log.at(-1)).toBe('terminate')
  })

  it('are sent behind the frames of the tick', () => {
    const { session, log } = createManualSession()
    session.sendText('a')
    session.check()
    expect(log).toEqual(['a', 'ping 1'])
  })

  it('are answered behind the frames of the tick', () => {
    const { session, log } = createManualSession()
    session.sendText('a')
    session.onPing(Buffer.from('id'))
    expect(log).toEqual(['a', 'pong id'])
  })

  it('do not count the time in which the event loop was blocked', () => {
    let elapsed = 0
    let check = (): void => undefined
    const startInterval = (callback: () => void) => {
      check = callback
      return () => undefined
    }
    const checks = new CheckTimer(new Set([createManualSession().session]), {
      ...currentClock(),
      elapsed: () => elapsed,
      startInterval,
    })
    checks.start()
    elapsed = 50
    check()
    expect(checks.now()).toBe(50)
    elapsed = 5_000
    expect(checks.now()).toBe(150)
    check()
    elapsed = 5_050
    expect(checks.now()).toBe(200)
    checks.stop()
  })

  it('stop when there is no connection', () => {
    marbles(({ flush }) => {
      const connections = new Set([createManualSession().session])
      const checks = new CheckTimer(connections, currentClock())
      checks.start()
      connections.clear()
      // Fails with an endless loop of timers otherwise.
      flush()
    })
  })
})

describe('a consumer that subscribes while the last price may be too old', () => {
  const topicName: Topic = 'svc-0xa'

  /** The last price of the topic is 1, and not known to be current. */
  const subscribe = async () => {
    const price$ = new Subject<Either<PriceError, Price>>()
    const state = { isUpToDate: true, age: 0 }
    const sessions = createManualSessions({
      sourceOf: () => ({
        open$: (onConfirmed) => {
          onConfirmed?.()
          return price$
        },
        age: () => state.age,
        position: () => undefined,
      }),
      ...unboundedFeed,
      isUpToDate: () => state.isUpToDate,
    })
    const isUpToDate = (): boolean => state.isUpToDate
    const [first, late] = [
      createManualSession({ isUpToDate, sessions }),
      createManualSession({ isUpToDate, sessions }),
    ]
    const request = JSON.stringify({ method: 'subscribe', topic: topicName })
    const open = ({ session }: ManualSession): void => {
      sessions.onOpened(session)
      session.onText(request)
    }
    const emit = (price: number): void =>
      price$.next(right({ topic: topicName, price, receivedAt: 0, epoch: 1 }))
    open(first)
    emit(1)
    state.isUpToDate = false
    open(late)
    late.session.check()
    await nextTurn()
    const received = () => late.log.filter((frame) => frame.startsWith('{"topic"'))
    expect([late.log[0], received()]).toEqual([JSON.stringify({ subscriptions: [topicName] }), []])
    return { late, state, emit, received }
  }

  it('gets it with its age when it is known to be current', async () => {
    const { late, state, received } = await subscribe()
    Object.assign(state, { isUpToDate: true, age: 700 })
    late.session.check()
    expect(received()).toEqual(['{"topic":"svc-0xa","price":1,"age":700}'])
    late.session.check()
    expect(received()).toHaveLength(1)
  })

  it('gets the newer one alone that the client has held, and once', async () => {
    const { late, state, emit, received } = await subscribe()
    state.isUpToDate = true
    emit(2)
    late.session.check()
    await nextTurn()
    expect(received()).toEqual(['{"topic":"svc-0xa","price":2}'])
    expect(late.session.droppedPrices).toBe(0)
  })
})
