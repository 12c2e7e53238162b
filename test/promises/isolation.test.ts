import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import {
  asapScheduler,
  filter,
  finalize,
  firstValueFrom,
  map,
  merge,
  NEVER,
  repeat,
  skip,
  Subject,
  Subscription,
  switchMap,
  take,
  tap,
} from 'rxjs'
import { createClient, type Client, type ConnectionStatus, type Topic } from 'svc-streams'
import type { Simulator, SimulatorOptions } from 'svc-streams/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { blockEventLoop } from '../support/time/event-loop.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents, type CollectedEvents } from '../support/collect-events.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'
import { startWebSocketServer } from '../support/network/servers.js'

// test/client/client.test.ts covers a throwing price$ handler and invalid frames of every kind.

const unhandled = collectUnhandledErrors()

const limit = 10_000

const start = async (simulated: SimulatorOptions = {}): Promise<{ simulator: Simulator; client: Client }> => {
  const simulator = await startTestSimulator({ ...fastMarket, ...simulated })
  const reconnect = { initialDelay: 5, maxDelay: 5 }
  return { simulator, client: createClientFor(simulator, { maxFrameBytes: limit, linger: 10, reconnect }) }
}

type Stream = CollectedEvents<{ readonly _tag: string }, unknown>

/** Waits until each stream has emitted three more values. */
const goOn = async (...streams: readonly Stream[]): Promise<void> => {
  const before = streams.map(({ values }) => values().length)
  await eventually(() =>
    streams.forEach(({ values }, index) => expect(values().length).toBeGreaterThan(before[index]! + 2)),
  )
}

let thrown = 0
beforeEach(() => {
  thrown = 0
})

const boom = (): never => {
  thrown += 1
  throw new Error('mine')
}

describe('a handler that throws', () => {
  it.each<[string, (client: Client) => Subscription]>([
    ['next of depth$', (client) => client.depth$(weth, 5).pipe(take(2)).subscribe(boom)],
    ['next of status$', (client) => client.status$.subscribe(boom)],
    ['next of errors$', (client) => client.errors$.subscribe(boom)],
    ['complete', (client) => client.price$('svc-0xdead').subscribe({ complete: boom })],
  ])('in %s does not affect other subscribers', async (_where, attach) => {
    const { simulator, client } = await start({ faults: { garbage: ['binary'] } })
    const attached = attach(client)
    const [eth, btc, depth] = [
      collectEvents(client.price$(ethTopic)),
      collectEvents(client.price$(btcTopic)),
      collectEvents(client.depth$(weth, 5)),
    ]
    await eventually(() => expect(thrown).toBeGreaterThan(0))
    await goOn(eth, btc, depth)
    attached.unsubscribe()
    for (const { tags } of [eth, btc, depth]) expect(new Set(tags())).toEqual(new Set(['Right']))
    expect(simulator.upgrades).toBe(1)
    // RxJS reports each exception asynchronously.
    await eventually(() => expect(unhandled.length).toBe(thrown))
  })

  it('in an operator ends only its own stream', async () => {
    const { simulator, client } = await start()
    let failure: unknown
    const failing = client.price$(ethTopic).pipe(filter(boom))
    failing.subscribe({ error: (error: unknown) => (failure = error) })
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    expect(failure).toEqual(new Error('mine'))
    expect(simulator.upgrades).toBe(1)
  })
})

describe('an operator that throws, with a teardown that throws', () => {
  it('does not affect other subscribers, on the first price or on a later one', async () => {
    const { simulator, client } = await start()
    const others = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(btcTopic))]
    const ignored = { error: () => undefined }
    client.price$(ethTopic).pipe(map(boom), finalize(boom)).subscribe(ignored)
    client.price$('svc-0x0a').pipe(map(boom), finalize(boom)).subscribe(ignored)
    await goOn(...others)
    client.price$(ethTopic).pipe(skip(3), map(boom), finalize(boom)).subscribe(ignored)
    await eventually(() => expect(thrown).toBe(6))
    await goOn(...others)
    for (const { tags } of others) expect(new Set(tags())).toEqual(new Set(['Right']))
    expect(simulator.upgrades).toBe(1)
    await client.close()
  })

  it('does not stop the delivery of Disconnected to other subscribers', async () => {
    const { simulator, client } = await start()
    client
      .price$(ethTopic)
      .pipe(filter(isLeft), map(boom), finalize(boom))
      .subscribe({ error: () => undefined })
    const others = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(btcTopic))]
    await goOn(...others)
    simulator.dropConnections(1012)
    await eventually(() => others.forEach(({ tags }) => expect(tags()).toContain('Disconnected')))
    await goOn(...others)
  })
})

// After an action that throws, RxJS drops the remaining actions of asapScheduler.
describe('a user action on asapScheduler that throws', () => {
  const failing = (): void => {
    asapScheduler.schedule(boom)
  }
  const flush = (): void => expect(() => asapScheduler.flush(undefined)).toThrow('mine')

  it('does not prevent the first connection', async () => {
    const { client } = await start()
    failing()
    const eth = collectEvents(client.price$(ethTopic))
    flush()
    await goOn(eth)
  })

  it('does not prevent a subscribe on an open connection', async () => {
    const { client } = await start()
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    failing()
    const btc = collectEvents(client.price$(btcTopic))
    flush()
    await goOn(eth, btc)
  })
})

describe('a teardown that throws', () => {
  it('does not prevent the completion of other streams on close', async () => {
    const { client } = await start()
    client.status$.pipe(finalize(boom)).subscribe()
    client.errors$.pipe(finalize(boom)).subscribe()
    client.price$(ethTopic).pipe(finalize(boom)).subscribe()
    client.depth$(weth, 5).pipe(finalize(boom)).subscribe()
    let completed = 0
    client.status$.subscribe({ complete: () => (completed += 1) })
    client.errors$.subscribe({ complete: () => (completed += 1) })
    const streams = [
      collectEvents(client.price$(ethTopic)),
      collectEvents(client.price$(btcTopic)),
      collectEvents(client.depth$(weth, 5)),
    ]
    await goOn(...streams)
    await client.close()
    expect(streams.map(({ isComplete }) => isComplete())).toEqual([true, true, true])
    expect(completed).toBe(2)
    expect(thrown).toBe(4)
    await eventually(() => expect(unhandled.length).toBe(4))
  })

  it('does not affect other topics after a rejection', async () => {
    const { simulator, client } = await start()
    client.price$('svc-0xdead').pipe(finalize(boom)).subscribe()
    const [dead, eth] = [collectEvents(client.price$('svc-0xdead')), collectEvents(client.price$(ethTopic))]
    await goOn(eth)
    await eventually(() => expect(dead.tags()).toEqual(['SubscriptionRejected']))
    expect(simulator.upgrades).toBe(1)
    await eventually(() => expect(unhandled.length).toBe(1))
  })
})

describe('a long frame', () => {
  it('at the limit is a single error and does not affect other frames', async () => {
    const { simulator, client } = await start()
    const errors: string[] = []
    client.errors$.subscribe(({ kind }) => errors.push(kind))
    const [eth, btc] = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(btcTopic))]
    await goOn(eth, btc)
    simulator.send('x'.repeat(limit))
    simulator.send(`{"topic":"${ethTopic}","price":"`.padEnd(limit - 2, 'x') + '"}')
    await goOn(eth, btc)
    expect(errors).toEqual(['error-text'])
    expect(eth.tags().filter((tag) => tag !== 'Right')).toEqual(['DecodeError'])
    expect(new Set(btc.tags())).toEqual(new Set(['Right']))
    expect(simulator.upgrades).toBe(1)
  })

  it('at the limit can be a price', async () => {
    const { simulator, client } = await start()
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    simulator.send(`{"topic":"${ethTopic}","price":123456789}`.padEnd(limit))
    await eventually(() => expect(eth.values().map(({ price }) => price)).toContain(123456789))
  })

  it('above the limit ends the connection with 1009, and all topics recover', async () => {
    const { simulator, client } = await start()
    const errors: unknown[] = []
    client.errors$.subscribe((error) => errors.push(error))
    const [eth, btc] = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(btcTopic))]
    await goOn(eth, btc)
    simulator.send(`{"topic":"${ethTopic}","price":123456789}`.padEnd(limit + 1))
    await eventually(() => {
      for (const { values } of [eth, btc]) expect(values().at(-1)?.epoch).toBe(2)
    })
    for (const { events, values } of [eth, btc]) {
      expect(events.filter(isLeft)).toMatchObject([{ left: { _tag: 'Disconnected', code: 1009 } }])
      expect(values().map(({ price }) => price)).not.toContain(123456789)
    }
    expect(errors).toEqual([])
  })
})

describe('a binary frame', () => {
  it('is not delivered as a price, even if its bytes are a price update', async () => {
    const { simulator, client } = await start()
    const errors: string[] = []
    client.errors$.subscribe(({ kind }) => errors.push(kind))
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    simulator.send(Buffer.from(`{"topic":"${ethTopic}","price":123456789}`))
    await goOn(eth)
    expect(errors).toEqual(['binary'])
    expect(eth.values().map(({ price }) => price)).not.toContain(123456789)
    expect(simulator.upgrades).toBe(1)
  })
})

describe('a text that is not UTF-8', () => {
  it('is an uncorrelated error and does not end the connection', async () => {
    const { url, clients } = await startWebSocketServer((peer) => {
      peer.on('message', (data: Buffer) => {
        const { topic } = JSON.parse(data.toString()) as { readonly topic: Topic }
        const [start = '', end = ''] = JSON.stringify({ topic, price: 7 }).split('-0x')
        peer.send(JSON.stringify({ subscriptions: [topic] }))
        peer.send(Buffer.concat([Buffer.from(start), Buffer.of(0xff), Buffer.from(end)]), { binary: false })
        peer.send(JSON.stringify({ topic, price: 12.5 }))
      })
    })
    const client = closeAfterTest(
      createClient({ environment: 'testnet', priceBaseUrl: url.replace('ws', 'http'), priceWsUrl: url }),
    )
    const errors: string[] = []
    client.errors$.subscribe(({ kind }) => errors.push(kind))
    const [eth, btc] = [collectEvents(client.price$(ethTopic)), collectEvents(client.price$(btcTopic))]
    await eventually(() => {
      for (const { values } of [eth, btc]) expect(values()).toMatchObject([{ price: 12.5, epoch: 1 }])
    })
    expect(errors).toEqual(['unknown-topic', 'unknown-topic'])
    expect([...eth.tags(), ...btc.tags()]).toEqual(['Right', 'Right'])
    expect(clients.size).toBe(1)
  })
})

describe('a slow consumer', () => {
  it('that blocks the thread delays other subscribers, which miss no price', async () => {
    const { simulator, client } = await start()
    client.price$(ethTopic).subscribe(() => blockEventLoop(15))
    const [eth, same, btc] = [
      collectEvents(client.price$(ethTopic)),
      collectEvents(client.price$(ethTopic)),
      collectEvents(client.price$(btcTopic)),
    ]
    await goOn(eth, btc)
    expect(same.events).toEqual(eth.events)
    for (const { tags } of [eth, btc]) expect(new Set(tags())).toEqual(new Set(['Right']))
    expect(simulator.upgrades).toBe(1)
  })

  it('whose inner stream never completes does not delay other subscribers', async () => {
    const { client } = await start()
    client
      .price$(ethTopic)
      .pipe(switchMap(() => NEVER))
      .subscribe()
    const [eth, depth] = [collectEvents(client.price$(ethTopic)), collectEvents(client.depth$(weth, 5))]
    await goOn(eth, depth)
  })
})

/** The active topics of all connections at the service. */
const active = ({ connections }: Simulator): readonly string[] => connections.flatMap(({ topics }) => topics)

describe('a handler of next can', () => {
  it('subscribe to the same topic, with its price immediately, and to another', async () => {
    const { simulator, client } = await start()
    let streams: readonly Stream[] = []
    client
      .price$(ethTopic)
      .pipe(filter(isRight), take(1))
      .subscribe(() => {
        const same = collectEvents(client.price$(ethTopic))
        expect(same.values().length).toBe(1)
        streams = [same, collectEvents(client.price$(btcTopic)), collectEvents(client.depth$(weth, 5))]
      })
    await eventually(() => expect(streams.length).toBe(3))
    await goOn(...streams)
    expect(simulator.upgrades).toBe(1)
    expect(simulator.frames.length).toBe(2)
  })

  it('unsubscribe another subscriber, which receives nothing more', async () => {
    const { client } = await start()
    const eth = collectEvents(client.price$(ethTopic))
    const siblings: Stream[] = []
    client
      .price$(ethTopic)
      .subscribe(() => siblings.forEach(({ subscription }) => subscription.unsubscribe()))
    await goOn(eth)
    siblings.push(collectEvents(client.price$(ethTopic)))
    await goOn(eth)
    // The replayed price.
    expect(siblings[0]!.events.length).toBe(1)
  })

  it('unsubscribe by take(1), repeatedly', async () => {
    const { simulator, client } = await start()
    const prices = collectEvents(client.price$(ethTopic).pipe(take(1), repeat(20)))
    await eventually(() => expect(prices.isComplete()).toBe(true))
    expect(prices.events.length).toBe(20)
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(client.inspect()).toMatchObject({ status: { _tag: 'Idle' }, topics: [] })
  })

  it('switch from topic A to B and back', async () => {
    const { simulator, client } = await start()
    const wanted = new Subject<Topic>()
    const prices = collectEvents(wanted.pipe(switchMap((topic) => client.price$(topic))))
    const switching = new Subscription()
    const next: Record<string, Topic> = { [ethTopic]: btcTopic, [btcTopic]: ethTopic }
    let switches = 0
    switching.add(
      merge(client.price$(ethTopic), client.price$(btcTopic))
        .pipe(filter(isRight))
        .subscribe(() => {
          const last = prices.values().at(-1)
          if (last !== undefined && switches++ < 20) wanted.next(next[last.topic]!)
        }),
    )
    wanted.next(ethTopic)
    await eventually(() => expect(switches).toBeGreaterThan(20))
    wanted.next(ethTopic)
    switching.unsubscribe()
    await eventually(() => expect(active(simulator)).toEqual([ethTopic]))
    await goOn(prices)
    expect(prices.values().at(-1)?.topic).toBe(ethTopic)
    expect(new Set(prices.tags())).toEqual(new Set(['Right']))
    expect(simulator.upgrades).toBe(1)
  })

  it('switch from topic A to B and back within one tick, with a subscribe for A only', async () => {
    const { simulator, client } = await start()
    const wanted = new Subject<Topic>()
    const prices = collectEvents(wanted.pipe(switchMap((topic) => client.price$(topic))))
    await firstValueFrom(
      client.price$(btcTopic).pipe(
        filter(isRight),
        tap(() => {
          for (const topic of [ethTopic, 'svc-0xdead', ethTopic] as const) wanted.next(topic)
        }),
      ),
    )
    await goOn(prices)
    const topics = simulator.frames.map(({ text }) => (JSON.parse(text) as { topic: string }).topic)
    expect(new Set(topics)).toEqual(new Set([btcTopic, ethTopic]))
    expect(simulator.upgrades).toBe(1)
  })

  it('unsubscribe and subscribe again without a second subscribe frame', async () => {
    const { simulator, client } = await start()
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    let again: Stream | undefined
    const first = client.price$(ethTopic).subscribe(() => {
      first.unsubscribe()
      again ??= collectEvents(client.price$(ethTopic))
    })
    await eventually(() => expect(again).toBeDefined())
    await goOn(eth, again!)
    expect(simulator.frames.length).toBe(1)
  })
})

describe('a handler of complete can', () => {
  it('subscribe to a rejected topic again, which sends one more subscribe', async () => {
    const { simulator, client } = await start()
    const rejected = collectEvents(client.price$('svc-0xdead').pipe(repeat(3)))
    await eventually(() => expect(rejected.isComplete()).toBe(true))
    expect(rejected.tags()).toEqual(new Array(3).fill('SubscriptionRejected'))
    expect(simulator.frames.length).toBe(3)
  })
})

const isStatus =
  (tag: ConnectionStatus['_tag']) =>
  ({ _tag }: ConnectionStatus): boolean =>
    _tag === tag

describe('a client that is closed', () => {
  it.each<[string, SimulatorOptions, (client: Client, close: () => void) => unknown]>([
    [
      'inside next of price$',
      {},
      (client, close) => client.price$(ethTopic).pipe(filter(isRight)).subscribe(close),
    ],
    [
      'inside next of a Left',
      { faults: { refuseUpgrades: 503 } },
      (client, close) => client.price$(ethTopic).subscribe(close),
    ],
    ['inside next of depth$', {}, (client, close) => client.depth$(weth, 5).subscribe(close)],
    ['inside complete', {}, (client, complete) => client.price$('svc-0xdead').subscribe({ complete })],
    [
      'inside next of status$ with Connecting',
      {},
      (client, close) => client.status$.pipe(filter(isStatus('Connecting'))).subscribe(close),
    ],
    [
      'inside next of status$ with Open',
      {},
      (client, close) => client.status$.pipe(filter(isStatus('Open'))).subscribe(close),
    ],
    [
      'inside next of status$ with Waiting',
      { faults: { refuseUpgrades: 503 } },
      (client, close) => client.status$.pipe(filter(isStatus('Waiting'))).subscribe(close),
    ],
    [
      'inside next of errors$',
      { faults: { garbage: ['binary'] } },
      (client, close) => client.errors$.subscribe(close),
    ],
    [
      'inside a teardown',
      {},
      (client, close) => client.price$(ethTopic).pipe(take(1)).subscribe().add(close),
    ],
  ])(
    '%s completes all streams, releases all sockets, and emits nothing later',
    async (_where, simulated, attach) => {
      const { simulator, client } = await start(simulated)
      const statuses: string[] = []
      const streams: Stream[] = []
      const eventCount = (): number => streams.reduce((sum, { events }) => sum + events.length, 0)
      let closing: Promise<void> | undefined
      let before = 0
      attach(client, () => {
        closing ??= client.close()
        before = eventCount()
      })
      streams.push(
        collectEvents(client.price$(ethTopic)),
        collectEvents(client.price$(btcTopic)),
        collectEvents(client.depth$(wbtc, 5)),
      )
      client.status$.subscribe(({ _tag }) => statuses.push(_tag))
      await eventually(() => expect(closing).toBeDefined())
      expect(streams.map(({ isComplete }) => isComplete())).toEqual([true, true, true])
      await closing
      await eventually(() => expect(simulator.connections).toEqual([]))
      expect(eventCount()).toBe(before)
      expect(statuses.at(-1)).toBe('Closed')
      expect(client.inspect()).toMatchObject({ topics: [], polls: [] })
      expect(unhandled).toEqual([])
    },
  )

  it('inside next of status$ with Idle releases all sockets', async () => {
    const { simulator, client } = await start()
    const eth = collectEvents(client.price$(ethTopic))
    await goOn(eth)
    let closing: Promise<void> | undefined
    client.status$.pipe(filter(isStatus('Idle'))).subscribe(() => void (closing ??= client.close()))
    eth.subscription.unsubscribe()
    await eventually(() => expect(closing).toBeDefined())
    await closing
    await eventually(() => expect(simulator.connections).toEqual([]))
    expect(unhandled).toEqual([])
  })
})
