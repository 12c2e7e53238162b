import { isRight } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { ClientOptions, PriceClient, Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { createClientOn } from '../../../src/client/create-client.js'
import type { Wake } from '../../../src/wire/platform/platform.js'
import { node } from '../../../src/wire/platform/node.js'
import { ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { createTimedLog, type TimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

const topic: Topic = 'svc-0xa'
const other: Topic = 'svc-0xb'

interface Scenario extends VirtualTime, TimedLog {
  readonly client: PriceClient
  /** The last socket. */
  readonly socket: () => ManualSocket
  readonly subscribe: (topic: Topic) => Subscription
  readonly wake: (event: Partial<Wake>) => void
  /** From now on, the service answers each frame after 1 ms, in order, and sends a price of each topic every 20 ms. */
  readonly serve: (options?: { readonly ignored?: readonly Topic[] }) => void
}

/** Runs a client whose sockets have no pings. Logs its events, its dials, and the frames that it sends. */
const run = (
  scenario: (scenario: Scenario) => void,
  { endsAt = 1_000, ...options }: Partial<ClientOptions> & { readonly endsAt?: number } = {},
): readonly string[] => {
  let lines: readonly string[] = []
  runInVirtualTime(
    (virtual) => {
      const log = createTimedLog(virtual)
      lines = log.lines
      const service = new Service(virtual)
      const transport = new ManualTransport({
        hasPings: false,
        onDial: (socket) => {
          log.add('dial')
          virtual.after(0, () => socket.open())
        },
        onSend: (socket, frame) => {
          const { method, topic: name } = JSON.parse(frame) as {
            readonly method: string
            readonly topic: string
          }
          log.add(`${method} ${name}`)
          service.onFrame(socket, method, name)
        },
      })
      let wake: (event: Wake) => void = () => undefined
      const createClient = createClientOn({
        ...node,
        onWake: (onWake) => {
          wake = onWake
          return () => undefined
        },
      })
      const client = createClient({
        environment: 'testnet',
        priceBaseUrl: 'http://localhost:3000',
        webSocket: transport,
        pingInterval: 80,
        pongTimeout: 20,
        staleAfter: 10_000,
        confirmTimeout: 10_000,
        reconnect: { initialDelay: 1, maxDelay: 1 },
        ...options,
      })
      scenario({
        ...virtual,
        ...log,
        client,
        socket: () => transport.lastSocket,
        subscribe: (name) => client.price$(name).subscribe(log.observer(name)),
        wake: (event) => wake({ isOnline: false, ...event }),
        serve: (setup) => service.start(setup),
      })
    },
    { endsAt },
  )
  return lines
}

/** Answers each frame with all topics of the connection, except those of ignored topics. */
class Service {
  private readonly topics = new Set<string>()
  private ignored: readonly string[] | undefined

  constructor(private readonly virtual: VirtualTime) {}

  start({ ignored = [] }: { readonly ignored?: readonly Topic[] } = {}): void {
    this.ignored = ignored
    for (const name of ignored) this.topics.delete(name)
  }

  onFrame(socket: ManualSocket, method: string, name: string): void {
    if (this.ignored === undefined || this.ignored.includes(name)) return
    const { after } = this.virtual
    const sendPrices = (): void => {
      if (!this.topics.has(name) || socket.state !== 'open') return
      socket.deliverPrice(name, 1)
      after(20, sendPrices)
    }
    const isNew = method === 'subscribe' && !this.topics.has(name)
    if (method === 'subscribe') this.topics.add(name)
    else this.topics.delete(name)
    const answer = [...this.topics]
    after(1, () => socket.deliverConfirmation(...answer))
    if (isNew) after(2, sendPrices)
  }
}

const after = (lines: readonly string[], ms: number): readonly string[] =>
  lines.filter((line) => Number.parseFloat(line) > ms)

describe('a connection without pings', () => {
  it('is probed after `pingInterval` without a frame, by subscribing again to a confirmed topic', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        subscribe(other)
        at(10, () => socket().deliverConfirmation(other))
      },
      { endsAt: 95 },
    )
    expect(after(lines, 5)).toEqual([`90 subscribe ${other}`])
  })

  it('is not probed while frames arrive', () => {
    const lines = run(({ subscribe, at, socket }) => {
      subscribe(topic)
      for (let ms = 10; ms < 1_000; ms += 60) at(ms, () => socket().deliverPrice(topic, ms))
    })
    expect(lines.filter((line) => line.includes('subscribe'))).toEqual([`0 subscribe ${topic}`])
  })

  it('is not replaced while a topic is live, if no probe was ever answered', () => {
    const lines = run(({ subscribe, at, socket }) => {
      subscribe(topic)
      at(10, () => socket().deliverPrice(topic, 1))
    })
    expect(lines.filter((line) => line.includes('dial'))).toEqual(['0 dial'])
    expect(lines.join('\n')).not.toContain('Disconnected')
  })

  it('is replaced when all topics are stale, even if no probe was ever answered', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        at(10, () => socket().deliverPrice(topic, 1))
      },
      { staleAfter: 200, endsAt: 350 },
    )
    expect(after(lines, 180)).toEqual([
      `210 ${topic}: Stale`,
      `250 subscribe ${topic}`,
      `270 ${topic}: Disconnected 1`,
      '271 dial',
      `271 subscribe ${topic}`,
    ])
  })

  it('is replaced `pongTimeout` after a probe, once a probe was answered, on this connection or on an earlier one', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        at(10, () => socket().deliverConfirmation(topic))
        at(95, () => socket().deliverConfirmation(topic))
        at(300, () => socket().deliverConfirmation(topic))
      },
      { endsAt: 410 },
    )
    expect(after(lines, 85)).toEqual([
      `90 subscribe ${topic}`,
      `180 subscribe ${topic}`,
      `200 ${topic}: Disconnected 1`,
      expect.stringContaining('dial'),
      expect.stringContaining(`subscribe ${topic}`),
      expect.stringContaining(`subscribe ${topic}`),
      expect.stringContaining(`subscribe ${topic}`),
      expect.stringMatching(/^40\d.* Disconnected 2$/),
      expect.stringContaining('dial'),
      expect.stringContaining(`subscribe ${topic}`),
    ])
  })

  it('takes a price after a probe as a sign of life, but not as an answer', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        at(10, () => socket().deliverConfirmation(topic))
        at(95, () => socket().deliverPrice(topic, 1))
      },
      { endsAt: 300 },
    )
    expect(after(lines, 100).filter((line) => line.includes('Disconnected'))).toEqual([])
  })

  it('does not take the confirmation of an earlier frame as the answer to a probe', () => {
    const lines = run(
      ({ subscribe, at, socket, client }) => {
        subscribe(topic)
        at(10, () => socket().deliverConfirmation(topic))
        at(85, () => void client.price$(other).subscribe())
        at(95, () => socket().deliverConfirmation(topic, other))
      },
      { endsAt: 400 },
    )
    expect(lines).toContain(`90 subscribe ${topic}`)
    expect(lines.filter((line) => line.includes('Disconnected'))).toEqual([])
  })

  it('rejects a topic by an error text after its probe only if the text has its address', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        at(10, () => socket().deliverConfirmation(topic))
        at(95, () => socket().deliver('Error: too many frames'))
        at(96, () => socket().deliver('Error: no market for 0xa'))
      },
      { endsAt: 120 },
    )
    expect(after(lines, 92)).toEqual([`96 ${topic}: SubscriptionRejected`, `96 ${topic}: complete`])
  })

  it('rejects no topic by an error text that may answer the probe of a topic that has timed out', () => {
    const lines = run(
      ({ subscribe, at, socket }) => {
        subscribe(topic)
        subscribe(other)
        at(94, () => socket().deliverConfirmation(topic))
        at(97, () => socket().deliver('Error: internal'))
      },
      { confirmTimeout: 95, endsAt: 100 },
    )
    expect(after(lines, 5)).toEqual([
      `80 subscribe ${other}`,
      `95 ${other}: SubscriptionTimeout`,
      `95 subscribe ${other}`,
    ])
  })

  it('is probed immediately when the page is shown again', () => {
    const lines = run(
      ({ subscribe, at, socket, wake }) => {
        subscribe(topic)
        at(10, () => socket().deliverConfirmation(topic))
        at(30, () => wake({}))
        at(35, () => socket().deliverConfirmation(topic))
        at(60, () => wake({ isOnline: true }))
      },
      { endsAt: 81 },
    )
    expect(after(lines, 5)).toEqual([
      `30 subscribe ${topic}`,
      `60 subscribe ${topic}`,
      `80 ${topic}: Disconnected 1`,
      expect.stringContaining('dial'),
      expect.stringContaining('subscribe'),
    ])
  })
})

describe('a subscriber that joins while the last price may be older than maxLag', () => {
  const lines = (...joinAt: readonly number[]): readonly string[] =>
    run(
      ({ subscribe, at, socket, client, add }) => {
        subscribe(topic)
        at(5, () => socket().deliverPrice(topic, 1))
        // The probes after 100 ms are answered from 325 ms on.
        for (let ms = 10; ms < 100; ms += 10) at(ms, () => socket().deliverConfirmation(topic))
        const join = (): Subscription =>
          client
            .price$(topic)
            .subscribe((event) => add(`late: ${isRight(event) ? event.right.price : event._tag}`))
        for (const ms of joinAt) at(ms, join)
        for (let ms = 325; ms < 500; ms += 10) at(ms, () => socket().deliverConfirmation(topic))
      },
      { endsAt: 500, maxLag: 200, pingInterval: 10_000, pongTimeout: 10_000 },
    ).filter((line) => !line.includes('subscribe'))

  it('receives it when a probe is answered; the other subscribers do not receive it again', () => {
    expect(lines(310)).toEqual(['0 dial', `5 ${topic}: 1`, '335 late: 1'])
  })

  it('receives it once, as do those that join after it', () => {
    expect(lines(310, 315)).toEqual(['0 dial', `5 ${topic}: 1`, '335 late: 1', '335 late: 1'])
    expect(lines(310, 345)).toEqual(['0 dial', `5 ${topic}: 1`, '335 late: 1', '345 late: 1'])
  })
})

describe('a connection without pings to a service that answers its frames', () => {
  const others: readonly Topic[] = ['svc-0x1', 'svc-0x2', 'svc-0x3', 'svc-0x4', 'svc-0x5']
  const options = { endsAt: 3_000, linger: 0, maxLag: 200, pingInterval: 10_000, pongTimeout: 10_000 }
  const failuresOf = (lines: readonly string[]): readonly string[] =>
    lines.filter((line) => line.includes('Stale') || line.includes('Disconnected'))

  it('stays current after topics were unsubscribed', () => {
    const lines = run(({ serve, subscribe, at }) => {
      serve()
      subscribe(topic)
      const subscriptions = others.map((name) => subscribe(name))
      at(500, () => subscriptions.forEach((subscription) => subscription.unsubscribe()))
    }, options)
    expect(lines.filter((line) => line.includes('unsubscribe'))).toHaveLength(others.length)
    expect(failuresOf(lines)).toEqual([])
  })

  it('is not current by a confirmation that lacks the topic of the probe', () => {
    const lines = run(({ serve, subscribe, at, socket }) => {
      serve()
      subscribe(topic)
      at(500, () => serve({ ignored: [topic] }))
      for (let ms = 500; ms < 900; ms += 20) at(ms, () => socket().deliverConfirmation('other-1'))
    }, options)
    expect(failuresOf(lines)[0]).toMatch(/^[67]\d\d(?:\.\d+)? svc-0xa: Stale$/)
  })

  it('is measured too if its first topic is confirmed after a long time', () => {
    const lines = run(({ serve, subscribe, at, socket }) => {
      subscribe(topic)
      at(900, () => serve())
      at(900, () => socket().deliverConfirmation(topic))
    }, options)
    expect(after(lines, 900)[0]).toMatch(/^9\d\d(?:\.\d+)? subscribe svc-0xa$/)
    expect(after(lines, 2_900).length).toBeGreaterThan(1)
  })

  it('stays current while it waits for the answers of other topics', () => {
    const lines = run(({ serve, subscribe, at }) => {
      serve({ ignored: others })
      subscribe(topic)
      at(500, () => others.forEach((name) => subscribe(name)))
    }, options)
    expect(failuresOf(lines)).toEqual([])
  })
})

describe('a wait for the next dial', () => {
  it.each([
    [true, 150],
    [false, 100_000],
  ])('ends when the network returns: isOnline %j', (isOnline, dialledAt) => {
    const lines = run(
      ({ subscribe, at, socket, wake }) => {
        subscribe(topic)
        at(100, () => socket().drop())
        at(150, () => wake({ isOnline }))
      },
      { endsAt: 99_000, reconnect: { initialDelay: 1e8, maxDelay: 1e8, stableAfter: 1e9 } },
    )
    const dials = after(lines, 101).filter((line) => line.endsWith('dial'))
    expect(dials).toEqual(dialledAt > 99_000 ? [] : [`${dialledAt} dial`])
  })
})

describe('the probes of a connection without pings', () => {
  const topics = ['svc-0xa', 'svc-0xb', 'svc-0xc', 'svc-0xd'] as const satisfies readonly Topic[]

  const framesWith = (options: Partial<ClientOptions>) => {
    const lines = run(
      ({ subscribe, serve }) => {
        serve()
        for (const each of topics) subscribe(each)
      },
      { endsAt: 30_000, pingInterval: 15_000, pongTimeout: 10_000, ...options },
    )
    const isFrame = (line: string): boolean => line.includes('subscribe')
    const sentAt = lines.filter(isFrame).map((line) => Number.parseFloat(line))
    return { lines, frames: lines.filter(isFrame), sentAt }
  }

  it.each([
    [1, 2_000],
    [1, 5_000],
    [1, 1_000],
    [2, 1_000],
    [3, 400],
  ])(
    'never exceed maxFramesPerSecond of %s with maxLag of %s ms, and leave room for all topics',
    (limit, maxLag) => {
      const { frames, sentAt } = framesWith({ maxFramesPerSecond: limit, maxLag })
      sentAt.forEach((at, index) => {
        const before = sentAt[index - limit]
        if (before !== undefined) expect(at - before).toBeGreaterThan(1_000)
      })
      const rounds = 2 * topics.length + 1
      expect(new Set(frames.slice(0, rounds).map((line) => line.split(' ').at(-1)))).toEqual(new Set(topics))
      expect(frames.length).toBeGreaterThan(topics.length)
    },
  )

  it('keep prices current if one frame a second suffices', () => {
    const { lines } = framesWith({ maxFramesPerSecond: 1, maxLag: 3_000 })
    expect(after(lines, 10_000).filter((line) => line.includes('Stale'))).toEqual([])
    expect(lines.join('\n')).not.toContain('Disconnected')
  })
})
