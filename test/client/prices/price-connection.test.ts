import { take, type Subscription } from 'rxjs'
import type { ClientOptions, ConnectionStatus, Topic } from 'svc-streams'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createManualClient,
  ManualTransport,
  type ManualTransportOptions,
  type ManualClient,
} from '../../support/manual-transport.js'
import { a, b, subscribeFrame, unsubscribeFrame } from '../../support/time/marbles.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { createTimedLog, type TimedLog } from '../../support/time/timed-log.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

const c: Topic = 'svc-0xcc'

interface Scenario extends VirtualTime, TimedLog, ManualClient {
  /** Subscribes to a topic, and logs its events under a name. */
  readonly subscribe: (topic: Topic, name: string, next?: (price: unknown) => void) => Subscription
}

const unsubscribeAll = (subscriptions: readonly Subscription[]): void => {
  for (const subscription of subscriptions) subscription.unsubscribe()
}

interface Outcome {
  readonly lines: readonly string[]
  readonly pendingTimers: number
  readonly transport: ManualTransport
}

/** Runs a scenario with a client in virtual time. Returns its event log. */
const run = (
  scenario: (scenario: Scenario) => void,
  options: Partial<ClientOptions> = {},
  transportOptions: ManualTransportOptions = {},
): Outcome => {
  const transport = new ManualTransport(transportOptions)
  let lines: readonly string[] = []
  const pendingTimers = runInVirtualTime(
    (virtual) => {
      const eventLog = createTimedLog(virtual)
      lines = eventLog.lines
      const { client } = createManualClient(options, transport)
      const subscribe: Scenario['subscribe'] = (topic, name, next) => {
        const observer = eventLog.observer(name)
        return client.price$(topic).subscribe({
          ...observer,
          next: (event) => {
            observer.next(event)
            next?.(event)
          },
        })
      }
      scenario({ ...virtual, ...eventLog, client, transport, subscribe })
    },
    { endsAt: 100_000 },
  )
  return { lines, pendingTimers, transport }
}

describe('a `next` handler of prices', () => {
  it('may subscribe to the same topic: the new subscriber receives the latest price once, then later prices', () => {
    const { lines } = run(({ at, client, transport, subscribe }) => {
      let hasSubscribed = false
      subscribe(a, 'first', () => {
        if (!hasSubscribed) subscribe(a, 'inner')
        hasSubscribed = true
      })
      subscribe(a, 'second')
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => transport.lastSocket.deliverPrice(a, 2))
      at(4, () => void client.close())
    })
    expect(lines).toEqual([
      ...['2 first: 1', '2 inner: 1', '2 second: 1', '3 first: 2', '3 second: 2', '3 inner: 2'],
      ...['4 first: complete', '4 second: complete', '4 inner: complete'],
    ])
  })

  it('may subscribe to another topic, which is then requested', () => {
    const { transport } = run(({ at, client, transport, subscribe }) => {
      subscribe(a, 'a', () => subscribe(b, 'b'))
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => void client.close())
    })
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a), subscribeFrame(b)])
  })

  it('may unsubscribe another subscriber, which then does not receive the current price', () => {
    const { lines } = run(({ at, client, transport, subscribe }) => {
      const others: Subscription[] = []
      subscribe(a, 'first', () => others[0]?.unsubscribe())
      others.push(subscribe(a, 'other'))
      subscribe(a, 'last')
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => void client.close())
    })
    expect(lines).toEqual(['2 first: 1', '2 last: 1', '3 first: complete', '3 last: complete'])
  })

  it('may unsubscribe, on its first price or on its initial event', () => {
    const { lines, transport, pendingTimers } = run(
      ({ at, client, transport, observer }) => {
        client.price$(a).pipe(take(1)).subscribe(observer('first'))
        at(1, () => transport.lastSocket.open())
        at(2, () => transport.lastSocket.deliverPrice(a, 1))
        at(5, () => client.price$(a).pipe(take(1)).subscribe(observer('second')))
      },
      { linger: 10 },
    )
    expect(lines).toEqual(['2 first: 1', '2 first: complete', '5 second: 1', '5 second: complete'])
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a), unsubscribeFrame(a)])
    expect(transport.lastSocket.endCalls).toEqual(['close'])
    expect(pendingTimers).toBe(0)
  })

  it('may close the client: all subscribers complete without the current price', () => {
    const { lines, pendingTimers, transport } = run(({ at, client, transport, subscribe, observer }) => {
      client.status$.subscribe(observer('status'))
      subscribe(a, 'first', () => void client.close())
      subscribe(a, 'second')
      subscribe(b, 'other')
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => transport.lastSocket.listener.text('{"topic":"svc-0xaa","price":2}'))
    })
    expect(lines.slice(3)).toEqual([
      ...['2 first: 1', '2 status: Closed', '2 first: complete', '2 second: complete', '2 other: complete'],
      '2 status: complete',
    ])
    expect(transport.activeSockets).toEqual([])
    expect(pendingTimers).toBe(0)
  })

  it('may unsubscribe and resubscribe synchronously, which sends no frame', () => {
    const { lines, transport } = run(
      ({ at, client, transport, subscribe }) => {
        const subscriptions: Subscription[] = []
        const resubscribe = (): void => {
          subscriptions.pop()?.unsubscribe()
          if (transport.lastSocket.frames.length < 3) subscriptions.push(subscribe(a, 'again'))
        }
        subscriptions.push(subscribe(a, 'first', resubscribe))
        at(1, () => transport.lastSocket.open())
        at(2, () => transport.lastSocket.deliverPrice(a, 1))
        at(3, () => transport.lastSocket.deliverPrice(a, 2))
        at(4, () => void client.close())
      },
      { linger: 0 },
    )
    expect(lines).toEqual(['2 first: 1', '2 again: 1', '3 again: 2', '4 again: complete'])
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a)])
  })
})

describe('a `next` handler of `Disconnected`', () => {
  it('may subscribe to the same or another topic: each new subscriber receives `Disconnected` once', () => {
    const { lines } = run(({ at, client, transport, subscribe }) => {
      let hasSubscribed = false
      subscribe(a, 'first', (event) => {
        if (hasSubscribed || !JSON.stringify(event).includes('Disconnected')) return
        hasSubscribed = true
        subscribe(a, 'same')
        subscribe(b, 'next')
        subscribe(c, 'new')
      })
      subscribe(b, 'other')
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.drop())
      at(50, () => void client.close())
    })
    expect(lines.filter((line) => line.includes('Disconnected'))).toEqual([
      ...['2 first: Disconnected 1', '2 same: Disconnected 1', '2 next: Disconnected 1'],
      ...['2 new: Disconnected 1', '2 other: Disconnected 1'],
    ])
  })

  it('may unsubscribe all subscribers: the client does not dial again', () => {
    const { lines, transport, pendingTimers } = run(({ at, transport, subscribe }) => {
      const subscriptions: Subscription[] = []
      subscriptions.push(subscribe(a, 'first', () => unsubscribeAll(subscriptions)))
      subscriptions.push(subscribe(a, 'second'), subscribe(b, 'third'))
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.drop())
    })
    expect(lines).toEqual(['2 first: Disconnected 1'])
    expect(transport.sockets).toHaveLength(1)
    expect(pendingTimers).toBe(0)
  })

  it('reads the current state from `inspect`', () => {
    const seen: unknown[] = []
    run(({ at, client, transport, subscribe }) => {
      subscribe(a, 'a', () => seen.push(client.inspect()))
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => transport.lastSocket.drop(1012, 'restarting'))
      at(4, () => void client.close())
    })
    const topics = [{ topic: a, subscribers: 1, state: 'live', lastPriceAgeMs: 0 }]
    expect(seen).toMatchObject([
      { status: { _tag: 'Open', epoch: 1, since: 1 }, topics, polls: [] },
      {
        status: { _tag: 'Waiting', attempt: 1, retryInMs: 125, reason: 'restarting' },
        topics: [{ topic: a, subscribers: 1, state: 'down', lastPriceAgeMs: null }],
        polls: [],
      },
    ])
  })

  it('may close the client: all subscribers complete, and the client does not dial again', () => {
    const { lines, transport, pendingTimers } = run(({ at, client, transport, subscribe }) => {
      subscribe(a, 'first', () => void client.close())
      subscribe(b, 'second')
      at(2, () => transport.lastSocket.drop())
    })
    expect(lines).toEqual(['2 first: Disconnected 1', '2 first: complete', '2 second: complete'])
    expect(transport.sockets).toHaveLength(1)
    expect(pendingTimers).toBe(0)
  })
})

describe('a `next` handler of a missed deadline', () => {
  const timeouts = { staleAfter: 100, confirmTimeout: 50, linger: 0 }

  it('may subscribe to a topic that becomes stale at the same time: each subscriber receives `Stale` once', () => {
    const { lines } = run(({ at, client, transport, subscribe }) => {
      let hasSubscribed = false
      subscribe(a, 'first', () => {
        if (!hasSubscribed) subscribe(b, 'joiner')
        hasSubscribed = true
      })
      subscribe(b, 'second')
      at(0, () => transport.lastSocket.open())
      at(1, () => transport.lastSocket.deliverConfirmation(a, b))
      at(110, () => void client.close())
    }, timeouts)
    expect(lines.slice(0, 3)).toEqual(['101 first: Stale', '101 joiner: Stale', '101 second: Stale'])
    expect(lines.filter((line) => line.includes('Stale'))).toHaveLength(3)
  })

  it('may unsubscribe all subscribers or close the client: no timer remains', () => {
    for (const ending of ['unsubscribe', 'close']) {
      const { lines, transport, pendingTimers } = run(({ at, client, transport, subscribe }) => {
        const subscriptions: Subscription[] = []
        const end = () => (ending === 'close' ? void client.close() : unsubscribeAll(subscriptions))
        subscriptions.push(subscribe(a, 'first', end), subscribe(b, 'second'))
        at(1, () => transport.lastSocket.open())
      }, timeouts)
      expect(lines.filter((line) => line.includes('Timeout'))).toEqual(['51 first: SubscriptionTimeout'])
      expect(transport.activeSockets).toEqual([])
      expect(pendingTimers).toBe(0)
    }
  })
})

describe('a `complete` handler', () => {
  it('may subscribe again to a rejected topic, which is requested again on the same connection', () => {
    const { lines, transport } = run(({ at, client, transport, subscribe }) => {
      subscribe(a, 'first').add(() => subscribe(a, 'again'))
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliver('no'))
      at(4, () => transport.lastSocket.deliverPrice(a, 1))
      at(5, () => void client.close())
    })
    expect(lines).toEqual([
      '2 first: SubscriptionRejected',
      '2 first: complete',
      '4 again: 1',
      '5 again: complete',
    ])
    expect(transport.sockets).toHaveLength(1)
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a), subscribeFrame(a)])
  })

  it('receives `ClientClosed` for a new subscription when the client is closing', () => {
    const { lines, transport, pendingTimers } = run(({ at, client, subscribe, observer }) => {
      client.price$(a).subscribe({ complete: () => subscribe(b, 'late') })
      client.status$.subscribe({ complete: () => subscribe(c, 'later') })
      subscribe(b, 'other')
      at(1, () => {
        void client.close()
        client.status$.subscribe(observer('status'))
      })
    })
    expect(lines).toEqual([
      ...['1 late: ClientClosed', '1 late: complete', '1 other: complete'],
      ...['1 later: ClientClosed', '1 later: complete', '1 status: Closed', '1 status: complete'],
    ])
    expect(transport.sockets).toHaveLength(1)
    expect(pendingTimers).toBe(0)
  })

  it('may close the client again, and receives the same promise', () => {
    const promises: Promise<void>[] = []
    run(({ at, client }) => {
      client.price$(a).subscribe({ complete: () => promises.push(client.close()) })
      at(1, () => promises.push(client.close()))
    })
    expect(promises).toHaveLength(2)
    expect(promises[0]).toBe(promises[1])
  })
})

describe('a `next` handler of `status$`', () => {
  const states: readonly [ConnectionStatus['_tag'], number][] = [
    ['Connecting', 1],
    ['Open', 1],
    ['Waiting', 1],
    ['Connecting', 2],
    // For a new subscriber during the retry delay.
    ['Waiting', 2],
    ['Idle', 2],
  ]

  /** Passes through all states: open, drop, unsubscribe, resubscribe, dial again, unsubscribe. */
  const passThroughStates = ({ at, transport, subscribe }: Scenario): void => {
    let subscription = subscribe(a, 'a')
    at(1, () => transport.activeSockets.forEach((socket) => socket.open()))
    at(2, () => transport.activeSockets.forEach((socket) => socket.drop()))
    at(3, () => subscription.unsubscribe())
    at(4, () => (subscription = subscribe(a, 'a')))
    at(200, () => subscription.unsubscribe())
  }

  const onNth = (scenario: Scenario, [tag, nth]: (typeof states)[number], callback: () => void): void => {
    let count = 0
    scenario.client.status$.subscribe(({ _tag }) => {
      if (_tag === tag && ++count === nth) callback()
    })
  }

  it.each(states)(
    'may close the client on %s (%i): the client does not dial again, and no timer remains',
    (...state) => {
      let dialsBefore = 0
      const { lines, transport, pendingTimers } = run((scenario) => {
        onNth(scenario, state, () => {
          dialsBefore = scenario.transport.sockets.length
          scenario.add('closing')
          void scenario.client.close()
        })
        passThroughStates(scenario)
      })
      expect(lines.filter((line) => line.endsWith('closing'))).toHaveLength(1)
      expect(transport.sockets).toHaveLength(dialsBefore)
      expect(transport.activeSockets).toEqual([])
      expect(pendingTimers).toBe(0)
    },
  )

  it.each(states)(
    'may subscribe on %s (%i): the topic is requested, and `close` leaves no timer',
    (...state) => {
      const { transport, pendingTimers, lines } = run((scenario) => {
        const { at, client, subscribe } = scenario
        onNth(scenario, state, () => {
          const subscription = subscribe(b, 'b')
          at(
            scenario.now() + 500,
            () =>
              scenario.transport.lastSocket.state === 'connecting' && scenario.transport.lastSocket.open(),
          )
          at(scenario.now() + 600, () => {
            scenario.add(
              scenario.transport.lastSocket.frames.includes(subscribeFrame(b))
                ? 'requested'
                : 'not requested',
            )
            subscription.unsubscribe()
          })
        })
        passThroughStates(scenario)
        at(5000, () => void client.close())
      })
      expect(
        lines.filter((line) => line.endsWith('requested')).map((line) => line.replace(/^\d+ /, '')),
      ).toEqual(['requested'])
      expect(transport.activeSockets).toEqual([])
      expect(pendingTimers).toBe(0)
    },
  )

  it('may unsubscribe all subscribers in any state: no socket and no timer remain', () => {
    for (const state of states.slice(0, 3)) {
      const { transport, pendingTimers } = run((scenario) => {
        const subscriptions: Subscription[] = []
        onNth(scenario, state, () => unsubscribeAll(subscriptions))
        subscriptions.push(scenario.subscribe(a, 'a'))
        scenario.at(
          1,
          () => scenario.transport.lastSocket.state === 'connecting' && scenario.transport.lastSocket.open(),
        )
        scenario.at(
          2,
          () => scenario.transport.lastSocket.state === 'open' && scenario.transport.lastSocket.drop(),
        )
      })
      expect(transport.activeSockets).toEqual([])
      expect(pendingTimers).toBe(0)
    }
  })
})

describe('a handler that throws', () => {
  const reported = collectUnhandledErrors()

  it('does not affect other subscribers, other topics, the socket, or other streams', () => {
    const { lines, transport } = run(({ at, client, transport, subscribe, observer }) => {
      const throws = (): never => {
        throw new Error('in a handler')
      }
      client.status$.subscribe(throws)
      client.errors$.subscribe(throws)
      client.price$(a).subscribe({ next: throws, complete: throws })
      subscribe(a, 'a')
      subscribe(b, 'b')
      client.price$(a).subscribe({ next: throws, complete: throws })
      client.errors$.subscribe(observer('errors'))
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => transport.lastSocket.deliverPrice(b, 2))
      at(4, () => transport.lastSocket.deliver('Error'))
      at(5, () => transport.lastSocket.drop())
      at(150, () => transport.lastSocket.open())
      at(151, () => transport.lastSocket.deliverPrice(a, 3))
      at(152, () => void client.close())
    })
    expect(lines).toEqual([
      ...['2 a: 1', '3 b: 2', '4 errors: UncorrelatedError', '5 a: Disconnected 1', '5 b: Disconnected 1'],
      ...['151 a: 3', '152 a: complete', '152 b: complete', '152 errors: complete'],
    ])
    expect(transport.sockets).toHaveLength(2)
    expect(transport.lastSocket.endCalls).toEqual(['close'])
    expect(reported.length).toBeGreaterThanOrEqual(9)
    expect(new Set(reported.map(String))).toEqual(new Set(['Error: in a handler']))
  })

  it('remains subscribed and receives later prices', () => {
    let count = 0
    run(({ at, client, transport }) => {
      client.price$(a).subscribe(() => {
        count++
        throw new Error('in a handler')
      })
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => transport.lastSocket.deliverPrice(a, 2))
      at(4, () => void client.close())
    })
    expect(count).toBe(2)
    expect(reported).toHaveLength(2)
  })

  it('on its initial event does not affect other subscribers', () => {
    const { lines, pendingTimers } = run(({ at, client, transport, subscribe }) => {
      subscribe(a, 'a')
      at(1, () => transport.lastSocket.open())
      at(2, () => transport.lastSocket.deliverPrice(a, 1))
      at(3, () => {
        client.price$(a).subscribe(() => {
          throw new Error('in a handler')
        })
      })
      at(4, () => transport.lastSocket.deliverPrice(a, 2))
      at(5, () => void client.close())
    })
    expect(lines).toEqual(['2 a: 1', '4 a: 2', '5 a: complete'])
    expect(reported).toHaveLength(2)
    expect(pendingTimers).toBe(0)
  })
})

describe('a transport callback', () => {
  it('may close the client from `send`: no further frame is sent', () => {
    const closers: (() => void)[] = []
    const { lines, transport, pendingTimers } = run(
      ({ at, client, transport, subscribe }) => {
        closers.push(() => void client.close())
        subscribe(a, 'a')
        subscribe(b, 'b')
        at(1, () => transport.lastSocket.open())
      },
      {},
      { onSend: () => closers.pop()?.() },
    )
    expect(lines).toEqual(['1 a: complete', '1 b: complete'])
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a)])
    expect(transport.sockets).toHaveLength(1)
    expect(pendingTimers).toBe(0)
  })

  it('may close the client from `dial`: the new socket is closed', () => {
    const closers: (() => void)[] = []
    const { lines, transport, pendingTimers } = run(
      ({ client, subscribe }) => {
        closers.push(() => void client.close())
        subscribe(a, 'a')
      },
      {},
      { onDial: () => closers.pop()?.() },
    )
    expect(lines).toEqual(['0 a: complete'])
    expect(transport.activeSockets).toEqual([])
    expect(transport.lastSocket.endCalls).toEqual(['close'])
    expect(pendingTimers).toBe(0)
  })

  it('may subscribe from `close`: the client dials again for the new subscriber', () => {
    const callbacks: (() => void)[] = []
    const { lines, transport, pendingTimers } = run(
      ({ at, client, transport, subscribe }) => {
        callbacks.push(() => subscribe(b, 'b'))
        const subscription = subscribe(a, 'a')
        at(1, () => transport.lastSocket.open())
        at(2, () => subscription.unsubscribe())
        at(10, () => transport.lastSocket.open())
        at(11, () => transport.lastSocket.deliverPrice(b, 1))
        at(12, () => void client.close())
      },
      { linger: 0 },
      { onEnd: () => callbacks.pop()?.() },
    )
    expect(lines).toEqual(['11 b: 1', '12 b: complete'])
    expect(transport.sockets).toHaveLength(2)
    expect(pendingTimers).toBe(0)
  })
})

describe('many topics', () => {
  const topics = Array.from({ length: 700 }, (_, index): Topic => `svc-0x${index.toString(16)}`)

  it('are requested once each, and none after `close`', () => {
    for (const closesAfter of [undefined, 300]) {
      let sent = 0
      const closers: (() => void)[] = []
      const { transport, pendingTimers } = run(
        ({ at, client, transport, subscribe }) => {
          closers.push(() => void client.close())
          for (const topic of topics) subscribe(topic, topic)
          at(1, () => transport.lastSocket.open())
          at(20, () => void client.close())
        },
        {},
        {
          onSend: () => {
            if (++sent === closesAfter) closers.pop()?.()
          },
        },
      )
      expect(transport.lastSocket.frames).toEqual(topics.slice(0, closesAfter).map(subscribeFrame))
      expect(pendingTimers).toBe(0)
    }
  })

  it('are requested in bursts of 256 per event-loop turn', () => {
    run(({ at, client, transport, subscribe }) => {
      for (const topic of topics) subscribe(topic, topic)
      at(1, () => transport.lastSocket.open())
      at(1, () => expect(transport.lastSocket.frames).toHaveLength(256))
      at(2, () => expect(transport.lastSocket.frames).toHaveLength(700))
      at(3, () => void client.close())
    })
  })

  it('are unsubscribed once each when all but one lose their subscribers', () => {
    const { transport, pendingTimers } = run(
      ({ at, transport, subscribe }) => {
        const subscriptions = topics.map((topic) => subscribe(topic, topic))
        at(1, () => transport.lastSocket.open())
        at(2, () => unsubscribeAll(subscriptions.slice(1)))
        at(50, () => subscriptions[0]?.unsubscribe())
      },
      { linger: 10 },
    )
    expect(transport.lastSocket.frames.slice(700)).toEqual(
      [...topics.slice(1), topics[0]!].map(unsubscribeFrame),
    )
    expect(pendingTimers).toBe(0)
  })
})

describe('`maxFramesPerSecond`', () => {
  const topics = Array.from({ length: 7 }, (_, index): Topic => `svc-0x${index}`)
  const [, , , fourth, fifth] = topics as [Topic, Topic, Topic, Topic, Topic]

  it('delays further frames, and drops the frame of a topic that is unsubscribed while it is queued', () => {
    const { transport, pendingTimers } = run(
      ({ at, client, transport, subscribe }) => {
        const subscriptions = topics.map((topic) => subscribe(topic, topic))
        at(1, () => transport.lastSocket.open())
        at(2, () => expect(transport.lastSocket.frames).toHaveLength(3))
        // The price of a live topic does not shorten the delay.
        at(900, () => transport.lastSocket.deliverPrice(topics[0]!, 1))
        at(950, () => unsubscribeAll(subscriptions.slice(3, 5)))
        at(1001, () => expect(transport.lastSocket.frames).toHaveLength(3))
        at(1100, () => expect(transport.lastSocket.frames).toHaveLength(5))
        at(1200, () => void client.close())
      },
      { maxFramesPerSecond: 3 },
    )
    const requested = topics.filter((topic) => topic !== fourth && topic !== fifth)
    expect(transport.lastSocket.frames).toEqual(requested.map(subscribeFrame))
    expect(pendingTimers).toBe(0)
  })

  it('counts the frames of all connections, including closed ones', () => {
    const sentAt: number[] = []
    let elapsed = (): number => 0
    run(
      ({ at, now, client, transport, subscribe }) => {
        elapsed = now
        for (const topic of topics) subscribe(topic, topic)
        for (const ms of [1, 2, 3]) at(ms, () => transport.activeSockets.forEach((socket) => socket.open()))
        at(1500, () => transport.activeSockets[0]?.drop())
        for (const ms of [1700, 1800]) at(ms, () => transport.lastSocket.open())
        at(9000, () => void client.close())
      },
      { maxFramesPerSecond: 2, maxTopicsPerConnection: 3, pingInterval: 20_000 },
      { onSend: () => sentAt.push(elapsed()) },
    )
    // Seven topics, and again the three topics of the dropped connection.
    expect(sentAt).toHaveLength(10)
    for (const [index, at] of sentAt.entries()) {
      if (index >= 2) expect(at - sentAt[index - 2]!).toBeGreaterThan(1000)
    }
  })

  it('does not keep a connection open for delayed unsubscribe frames', () => {
    const { lines, pendingTimers } = run(
      ({ at, add, client, transport, subscribe }) => {
        client.status$.subscribe(({ _tag }) => add(_tag))
        const subscriptions = topics.map((topic) => subscribe(topic, topic))
        at(1, () => transport.lastSocket.open())
        at(4000, () => unsubscribeAll(subscriptions))
      },
      { maxFramesPerSecond: 2, linger: 100, confirmTimeout: 60_000 },
    )
    expect(lines).toEqual(['0 Idle', '0 Connecting', '1 Open', '4100 Idle'])
    expect(pendingTimers).toBe(0)
  })
})

describe('a topic without subscribers', () => {
  it('has no timer after `linger`, nor after the client closes', () => {
    for (const ending of ['unsubscribe', 'close']) {
      run(
        ({ at, client, transport, subscribe, pendingTimers }) => {
          const subscriptions = [subscribe(a, 'a'), subscribe(b, 'b')]
          at(1, () => transport.lastSocket.open())
          at(2, () => transport.lastSocket.deliverPrice(a, 1))
          at(3, () => (ending === 'close' ? void client.close() : unsubscribeAll(subscriptions)))
          at(ending === 'close' ? 4 : 14, () => expect(pendingTimers()).toBe(0))
        },
        { linger: 10 },
      )
    }
  })

  it('does not keep the socket open when it is rejected while it lingers', () => {
    const { transport } = run(
      ({ at, transport, subscribe }) => {
        const subscription = subscribe(a, 'a')
        at(1, () => transport.lastSocket.open())
        at(2, () => subscription.unsubscribe())
        at(3, () => transport.lastSocket.deliver('Invalid token 0xaa'))
        at(4, () => expect(transport.activeSockets).toEqual([]))
      },
      { linger: 5000 },
    )
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a)])
  })
})

describe('several connections', () => {
  const limited = { maxTopicsPerConnection: 1, linger: 0 }

  it('fail independently: subscribers on another connection receive no `Disconnected`', () => {
    const { lines } = run(({ at, client, transport, subscribe, observer }) => {
      client.status$.subscribe(observer('status'))
      subscribe(a, 'a')
      subscribe(b, 'b')
      at(1, () => transport.sockets.forEach((socket) => socket.open()))
      at(2, () => transport.sockets[0]?.drop())
      at(3, () => transport.sockets[1]?.deliverPrice(b, 1))
      at(150, () => transport.sockets[2]?.open())
      at(151, () => transport.sockets[2]?.deliverPrice(a, 2))
      at(152, () => void client.close())
    }, limited)
    expect(lines.filter((line) => !line.includes('status'))).toEqual([
      ...['2 a: Disconnected 1', '3 b: 1', '151 a: 2', '152 a: complete', '152 b: complete'],
    ])
  })

  it('share one status, that of the connection in the worst state', () => {
    const { lines } = run(({ at, client, transport, subscribe, observer }) => {
      subscribe(a, 'a')
      subscribe(b, 'b')
      at(0, () => client.status$.subscribe(observer('status')))
      at(1, () => transport.sockets[1]?.open())
      at(2, () => transport.sockets[0]?.open())
      at(3, () => transport.sockets[1]?.drop())
      at(200, () => transport.sockets[2]?.open())
      at(201, () => void client.close())
    }, limited)
    expect(lines.filter((line) => line.includes('status'))).toEqual([
      ...['0 status: Connecting 1', '2 status: Open', '3 status: Waiting 1', '128 status: Connecting 2'],
      ...['200 status: Open', '201 status: Closed', '201 status: complete'],
    ])
  })

  it('share one epoch counter', () => {
    const epochs: unknown[] = []
    run(({ at, client, transport }) => {
      const onEvent = (event: unknown) => epochs.push((event as { right: { epoch: number } }).right.epoch)
      client.price$(a).subscribe(onEvent)
      client.price$(b).subscribe(onEvent)
      at(1, () => transport.sockets.forEach((socket) => socket.open()))
      at(2, () => transport.sockets[1]?.deliverPrice(b, 1))
      at(3, () => transport.sockets[0]?.deliverPrice(a, 1))
      at(4, () => void client.close())
    }, limited)
    expect(epochs).toEqual([2, 1])
  })

  it('keep each topic on its connection, and reuse the slot of a removed topic', () => {
    const { transport } = run(({ at, client, transport, subscribe }) => {
      const first = subscribe(a, 'a')
      subscribe(b, 'b')
      at(1, () => transport.sockets.forEach((socket) => socket.open()))
      at(2, () => subscribe('svc-0xAA', 'a'))
      at(3, () => first.unsubscribe())
      at(4, () => subscribe(a, 'a'))
      at(5, () => expect(transport.sockets).toHaveLength(2))
      at(6, () => void client.close())
    }, limited)
    expect(transport.sockets.map(({ frames }) => frames)).toEqual([[subscribeFrame(a)], [subscribeFrame(b)]])
    const reused = run(({ at, client, transport, subscribe }) => {
      const first = subscribe(a, 'a')
      at(1, () => transport.lastSocket.open())
      at(2, () => first.unsubscribe())
      at(3, () => subscribe(b, 'b'))
      at(4, () => void client.close())
    }, limited)
    expect(reused.transport.sockets).toHaveLength(2)
    expect(reused.transport.sockets.map(({ state }) => state)).toEqual(['closed', 'closed'])
  })
})

describe('a process that pauses for longer than linger after the last unsubscribe', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('sends the unsubscribe frame before it closes the socket', async () => {
    const elapsed = performance.now.bind(performance)
    const performanceNow = vi.spyOn(performance, 'now')
    const { client, transport } = createManualClient({ linger: 20 })
    const subscription = client.price$(a).subscribe()
    await nextTurn()
    transport.lastSocket.open()
    await nextTurn()
    transport.lastSocket.deliverPrice(a, 1)
    subscription.unsubscribe()
    performanceNow.mockImplementation(() => elapsed() + 1000)
    await nextTurn()
    expect(transport.lastSocket.state).toBe('closed')
    expect(transport.lastSocket.frames).toEqual([subscribeFrame(a), unsubscribeFrame(a)])
    await client.close()
  })
})
