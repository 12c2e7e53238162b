import { take, type Subscription } from 'rxjs'
import type { ClientOptions, ConnectionStatus, Topic } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { manual, ManualTransport, type ManualOptions, type Manual } from '../support/manual-transport.js'
import { a, b, subscribes, unsubscribes } from '../support/marbles.js'
import { unhandledErrors } from '../support/unhandled.js'
import { journalOf, virtually, type Journal, type Virtual } from '../support/virtual.js'

const c: Topic = 'svc-0xcc'

interface Scene extends Virtual, Journal, Manual {
  /** Subscribes, and writes down under a name what is told. */
  readonly listen: (topic: Topic, name: string, next?: (price: unknown) => void) => Subscription
}

interface Outcome {
  readonly lines: readonly string[]
  readonly timersLeft: number
  readonly transport: ManualTransport
}

/** Plays a scene with a client, and returns what was written down of it. */
const play = (
  scene: (scene: Scene) => void,
  options: Partial<ClientOptions> = {},
  transportOptions: ManualOptions = {},
): Outcome => {
  const transport = new ManualTransport(transportOptions)
  let lines: readonly string[] = []
  const timersLeft = virtually(
    (virtual) => {
      const journal = journalOf(virtual)
      lines = journal.lines
      const { client } = manual(options, transport)
      const listen: Scene['listen'] = (topic, name, next) => {
        const observer = journal.observer(name)
        return client.price$(topic).subscribe({
          ...observer,
          next: (event) => {
            observer.next(event)
            next?.(event)
          },
        })
      }
      scene({ ...virtual, ...journal, client, transport, listen })
    },
    { until: 100_000 },
  )
  return { lines, timersLeft, transport }
}

describe('a handler of prices', () => {
  it('may subscribe to the topic that it hears: who joins has what holds now, once, and then what follows', () => {
    const { lines } = play(({ at, client, transport, listen }) => {
      let joined = false
      listen(a, 'first', () => {
        if (!joined) listen(a, 'inner')
        joined = true
      })
      listen(a, 'second')
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => transport.last.prices(a, 2))
      at(4, () => void client.close())
    })
    expect(lines).toEqual([
      ...['2 first: 1', '2 inner: 1', '2 second: 1', '3 first: 2', '3 second: 2', '3 inner: 2'],
      ...['4 first: complete', '4 second: complete', '4 inner: complete'],
    ])
  })

  it('may subscribe to another topic, which is then asked for', () => {
    const { transport } = play(({ at, client, transport, listen }) => {
      listen(a, 'a', () => listen(b, 'b'))
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => void client.close())
    })
    expect(transport.last.frames).toEqual([subscribes(a), subscribes(b)])
  })

  it('may make another listener leave, who then hears nothing of what is under way', () => {
    const { lines } = play(({ at, client, transport, listen }) => {
      const others: Subscription[] = []
      listen(a, 'first', () => others[0]?.unsubscribe())
      others.push(listen(a, 'other'))
      listen(a, 'last')
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => void client.close())
    })
    expect(lines).toEqual(['2 first: 1', '2 last: 1', '3 first: complete', '3 last: complete'])
  })

  it('may leave: with its first price, or with the one that it gets on joining', () => {
    const { lines, transport, timersLeft } = play(
      ({ at, client, transport, observer }) => {
        client.price$(a).pipe(take(1)).subscribe(observer('first'))
        at(1, () => transport.last.opens())
        at(2, () => transport.last.prices(a, 1))
        at(5, () => client.price$(a).pipe(take(1)).subscribe(observer('second')))
      },
      { linger: 10 },
    )
    expect(lines).toEqual(['2 first: 1', '2 first: complete', '5 second: 1', '5 second: complete'])
    expect(transport.last.frames).toEqual([subscribes(a), unsubscribes(a)])
    expect(transport.last.endings).toEqual(['close'])
    expect(timersLeft).toBe(0)
  })

  it('may close the client: all complete, and nobody hears what was under way', () => {
    const { lines, timersLeft, transport } = play(({ at, client, transport, listen, observer }) => {
      client.status$.subscribe(observer('status'))
      listen(a, 'first', () => void client.close())
      listen(a, 'second')
      listen(b, 'other')
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => transport.last.listener.text('{"topic":"svc-0xaa","price":2}'))
    })
    expect(lines.slice(3)).toEqual([
      ...['2 first: 1', '2 status: Closed', '2 first: complete', '2 second: complete', '2 other: complete'],
      '2 status: complete',
    ])
    expect(transport.alive).toEqual([])
    expect(timersLeft).toBe(0)
  })

  it('may leave and come back at once, which costs nothing', () => {
    const { lines, transport } = play(
      ({ at, client, transport, listen }) => {
        const listening: Subscription[] = []
        const again = (): void => {
          listening.pop()?.unsubscribe()
          if (transport.last.frames.length < 3) listening.push(listen(a, 'again'))
        }
        listening.push(listen(a, 'first', again))
        at(1, () => transport.last.opens())
        at(2, () => transport.last.prices(a, 1))
        at(3, () => transport.last.prices(a, 2))
        at(4, () => void client.close())
      },
      { linger: 0 },
    )
    expect(lines).toEqual(['2 first: 1', '2 again: 1', '3 again: 2', '4 again: complete'])
    expect(transport.last.frames).toEqual([subscribes(a)])
  })
})

describe('a handler of `Disconnected`', () => {
  it('may subscribe: who joins is told once, in the topic that fails and in another', () => {
    const { lines } = play(({ at, client, transport, listen }) => {
      let joined = false
      listen(a, 'first', (event) => {
        if (joined || !JSON.stringify(event).includes('Disconnected')) return
        joined = true
        listen(a, 'same')
        listen(b, 'next')
        listen(c, 'new')
      })
      listen(b, 'other')
      at(1, () => transport.last.opens())
      at(2, () => transport.last.drops())
      at(50, () => void client.close())
    })
    expect(lines.filter((line) => line.includes('Disconnected'))).toEqual([
      ...['2 first: Disconnected 1', '2 same: Disconnected 1', '2 next: Disconnected 1'],
      ...['2 new: Disconnected 1', '2 other: Disconnected 1'],
    ])
  })

  it('may leave, and make others leave: with nobody left nothing is dialled', () => {
    const { lines, transport, timersLeft } = play(({ at, transport, listen }) => {
      const all: Subscription[] = []
      all.push(listen(a, 'first', () => all.forEach((one) => one.unsubscribe())))
      all.push(listen(a, 'second'), listen(b, 'third'))
      at(1, () => transport.last.opens())
      at(2, () => transport.last.drops())
    })
    expect(lines).toEqual(['2 first: Disconnected 1'])
    expect(transport.sockets).toHaveLength(1)
    expect(timersLeft).toBe(0)
  })

  it('finds the state as it is now, not as it was', () => {
    const seen: unknown[] = []
    play(({ at, client, transport, listen }) => {
      listen(a, 'a', () => seen.push(client.inspect()))
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => transport.last.drops(1012, 'restarting'))
      at(4, () => void client.close())
    })
    const topics = [{ topic: a, subscribers: 1, state: 'live', lastPriceAgeMs: 0 }]
    expect(seen).toEqual([
      { status: { _tag: 'Open', epoch: 1, since: 1 }, topics, polls: [] },
      {
        status: { _tag: 'Waiting', attempt: 1, retryInMs: 125, reason: 'restarting' },
        topics: [{ topic: a, subscribers: 1, state: 'waiting', lastPriceAgeMs: null }],
        polls: [],
      },
    ])
  })

  it('may close the client', () => {
    const { lines, transport, timersLeft } = play(({ at, client, transport, listen }) => {
      listen(a, 'first', () => void client.close())
      listen(b, 'second')
      at(2, () => transport.last.drops())
    })
    expect(lines).toEqual(['2 first: Disconnected 1', '2 first: complete', '2 second: complete'])
    expect(transport.sockets).toHaveLength(1)
    expect(timersLeft).toBe(0)
  })
})

describe('a handler of silence', () => {
  const patience = { staleAfter: 100, confirmTimeout: 50, linger: 0 }

  it('may join what goes stale at the same time: who joins is told once', () => {
    const { lines } = play(({ at, client, transport, listen }) => {
      let joined = false
      listen(a, 'first', () => {
        if (!joined) listen(b, 'joiner')
        joined = true
      })
      listen(b, 'second')
      at(0, () => transport.last.opens())
      at(1, () => transport.last.confirms(a, b))
      at(110, () => void client.close())
    }, patience)
    expect(lines.slice(0, 3)).toEqual(['101 first: Stale', '101 joiner: Stale', '101 second: Stale'])
    expect(lines.filter((line) => line.includes('Stale'))).toHaveLength(3)
  })

  it('may leave everything, or close: no timer is left', () => {
    for (const ends of ['leaves', 'closes']) {
      const { lines, transport, timersLeft } = play(({ at, client, transport, listen }) => {
        const all: Subscription[] = []
        const end = () => (ends === 'closes' ? void client.close() : all.forEach((one) => one.unsubscribe()))
        all.push(listen(a, 'first', end), listen(b, 'second'))
        at(1, () => transport.last.opens())
      }, patience)
      expect(lines.filter((line) => line.includes('Timeout'))).toEqual(['51 first: SubscriptionTimeout'])
      expect(transport.alive).toEqual([])
      expect(timersLeft).toBe(0)
    }
  })
})

describe('a handler of completion', () => {
  it('may subscribe anew to what was rejected, which is asked for anew on the same connection', () => {
    const { lines, transport } = play(({ at, client, transport, listen }) => {
      let asked = false
      const ask = (): void => {
        listen(a, asked ? 'again' : 'first').add(() => {
          if (!asked) {
            asked = true
            ask()
          }
        })
      }
      ask()
      at(1, () => transport.last.opens())
      at(2, () => transport.last.says('no'))
      at(4, () => transport.last.prices(a, 1))
      at(5, () => void client.close())
    })
    expect(lines).toEqual([
      '2 first: SubscriptionRejected',
      '2 first: complete',
      '4 again: 1',
      '5 again: complete',
    ])
    expect(transport.sockets).toHaveLength(1)
    expect(transport.last.frames).toEqual([subscribes(a), subscribes(a)])
  })

  it('finds the client closed when it is the close that completes', () => {
    const { lines, transport, timersLeft } = play(({ at, client, listen, observer }) => {
      client.price$(a).subscribe({ complete: () => listen(b, 'late') })
      client.status$.subscribe({ complete: () => listen(c, 'later') })
      listen(b, 'other')
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
    expect(timersLeft).toBe(0)
  })

  it('may close the client again, and gets the same promise', () => {
    const closings: Promise<void>[] = []
    play(({ at, client }) => {
      client.price$(a).subscribe({ complete: () => closings.push(client.close()) })
      at(1, () => closings.push(client.close()))
    })
    expect(closings).toHaveLength(2)
    expect(closings[0]).toBe(closings[1])
  })
})

describe('a listener to the status', () => {
  const states: readonly [ConnectionStatus['_tag'], number][] = [
    ['Connecting', 1],
    ['Open', 1],
    ['Waiting', 1],
    ['Connecting', 2],
    // Of who comes back while the connection is down.
    ['Waiting', 2],
    ['Idle', 2],
  ]

  /** A life in which every state comes: opens, drops, is left, is joined again, dials again, is left. */
  const life = ({ at, transport, listen }: Scene): void => {
    let listening = listen(a, 'a')
    at(1, () => transport.alive.forEach((socket) => socket.opens()))
    at(2, () => transport.alive.forEach((socket) => socket.drops()))
    at(3, () => listening.unsubscribe())
    at(4, () => (listening = listen(a, 'a')))
    at(200, () => listening.unsubscribe())
  }

  const onNth = (scene: Scene, [tag, nth]: (typeof states)[number], act: () => void): void => {
    let count = 0
    scene.client.status$.subscribe(({ _tag }) => {
      if (_tag === tag && ++count === nth) act()
    })
  }

  it.each(states)(
    'may close the client on %s (%i): nothing is dialled after it, no timer is left',
    (...state) => {
      let dialsBefore = 0
      const { lines, transport, timersLeft } = play((scene) => {
        onNth(scene, state, () => {
          dialsBefore = scene.transport.sockets.length
          scene.note('closing')
          void scene.client.close()
        })
        life(scene)
      })
      expect(lines.filter((line) => line.endsWith('closing'))).toHaveLength(1)
      expect(transport.sockets).toHaveLength(dialsBefore)
      expect(transport.alive).toEqual([])
      expect(timersLeft).toBe(0)
    },
  )

  it.each(states)(
    'may subscribe on %s (%i): the topic is asked for, and nothing is left in the end',
    (...state) => {
      const { transport, timersLeft, lines } = play((scene) => {
        const { at, client, listen } = scene
        onNth(scene, state, () => {
          const listening = listen(b, 'b')
          at(
            scene.now() + 500,
            () => scene.transport.last.state === 'dialling' && scene.transport.last.opens(),
          )
          at(scene.now() + 600, () => {
            scene.note(scene.transport.last.frames.includes(subscribes(b)) ? 'asked' : 'not asked')
            listening.unsubscribe()
          })
        })
        life(scene)
        at(5000, () => void client.close())
      })
      expect(lines.filter((line) => line.endsWith('asked')).map((line) => line.replace(/^\d+ /, ''))).toEqual(
        ['asked'],
      )
      expect(transport.alive).toEqual([])
      expect(timersLeft).toBe(0)
    },
  )

  it('may leave on any state: nothing is left', () => {
    for (const state of states.slice(0, 3)) {
      const { transport, timersLeft } = play((scene) => {
        const all: Subscription[] = []
        onNth(scene, state, () => all.forEach((one) => one.unsubscribe()))
        all.push(scene.listen(a, 'a'))
        scene.at(1, () => scene.transport.last.state === 'dialling' && scene.transport.last.opens())
        scene.at(2, () => scene.transport.last.state === 'open' && scene.transport.last.drops())
      })
      expect(transport.alive).toEqual([])
      expect(timersLeft).toBe(0)
    }
  })
})

describe('a handler that throws', () => {
  const reported = unhandledErrors()

  it('hurts nobody: not the others, not other topics, not the socket, not the library', () => {
    const { lines, transport } = play(({ at, client, transport, listen, observer }) => {
      const throws = (): never => {
        throw new Error('in a handler')
      }
      client.status$.subscribe(throws)
      client.errors$.subscribe(throws)
      client.price$(a).subscribe({ next: throws, complete: throws })
      listen(a, 'a')
      listen(b, 'b')
      client.price$(a).subscribe({ next: throws, complete: throws })
      client.errors$.subscribe(observer('errors'))
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => transport.last.prices(b, 2))
      at(4, () => transport.last.says('Error'))
      at(5, () => transport.last.drops())
      at(150, () => transport.last.opens())
      at(151, () => transport.last.prices(a, 3))
      at(152, () => void client.close())
    })
    expect(lines).toEqual([
      ...['2 a: 1', '3 b: 2', '4 errors: UncorrelatedError', '5 a: Disconnected 1', '5 b: Disconnected 1'],
      ...['151 a: 3', '152 a: complete', '152 b: complete', '152 errors: complete'],
    ])
    expect(transport.sockets).toHaveLength(2)
    expect(transport.last.endings).toEqual(['close'])
    expect(reported.length).toBeGreaterThanOrEqual(9)
    expect(new Set(reported.map(String))).toEqual(new Set(['Error: in a handler']))
  })

  it('is told what follows: it still listens', () => {
    let heard = 0
    play(({ at, client, transport }) => {
      client.price$(a).subscribe(() => {
        heard++
        throw new Error('in a handler')
      })
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => transport.last.prices(a, 2))
      at(4, () => void client.close())
    })
    expect(heard).toBe(2)
    expect(reported).toHaveLength(2)
  })

  it('when it joins a live topic hurts nobody either', () => {
    const { lines, timersLeft } = play(({ at, client, transport, listen }) => {
      listen(a, 'a')
      at(1, () => transport.last.opens())
      at(2, () => transport.last.prices(a, 1))
      at(3, () => {
        client.price$(a).subscribe(() => {
          throw new Error('in a handler')
        })
      })
      at(4, () => transport.last.prices(a, 2))
      at(5, () => void client.close())
    })
    expect(lines).toEqual(['2 a: 1', '4 a: 2', '5 a: complete'])
    expect(reported).toHaveLength(2)
    expect(timersLeft).toBe(0)
  })
})

describe('a transport that calls back', () => {
  it('may find the client closed by what it sends', () => {
    const closers: (() => void)[] = []
    const { lines, transport, timersLeft } = play(
      ({ at, client, transport, listen }) => {
        closers.push(() => void client.close())
        listen(a, 'a')
        listen(b, 'b')
        at(1, () => transport.last.opens())
      },
      {},
      { sent: () => closers.pop()?.() },
    )
    expect(lines).toEqual(['1 a: complete', '1 b: complete'])
    expect(transport.last.frames).toEqual([subscribes(a)])
    expect(transport.sockets).toHaveLength(1)
    expect(timersLeft).toBe(0)
  })

  it('may find the client closed by its dial', () => {
    const closers: (() => void)[] = []
    const { lines, transport, timersLeft } = play(
      ({ client, listen }) => {
        closers.push(() => void client.close())
        listen(a, 'a')
      },
      {},
      { dialled: () => closers.pop()?.() },
    )
    expect(lines).toEqual(['0 a: complete'])
    expect(transport.alive).toEqual([])
    expect(transport.last.endings).toEqual(['close'])
    expect(timersLeft).toBe(0)
  })

  it('may have somebody subscribe while it hangs up: they are not forgotten', () => {
    const joiners: (() => void)[] = []
    const { lines, transport, timersLeft } = play(
      ({ at, client, transport, listen }) => {
        joiners.push(() => listen(b, 'b'))
        const listening = listen(a, 'a')
        at(1, () => transport.last.opens())
        at(2, () => listening.unsubscribe())
        at(10, () => transport.last.opens())
        at(11, () => transport.last.prices(b, 1))
        at(12, () => void client.close())
      },
      { linger: 0 },
      { ended: () => joiners.pop()?.() },
    )
    expect(lines).toEqual(['11 b: 1', '12 b: complete'])
    expect(transport.sockets).toHaveLength(2)
    expect(timersLeft).toBe(0)
  })
})

describe('many topics', () => {
  const topics = Array.from({ length: 700 }, (_, index): Topic => `svc-0x${index.toString(16)}`)

  it('are all asked for, each once, and none after the close', () => {
    for (const closesAfter of [undefined, 300]) {
      let sent = 0
      const closers: (() => void)[] = []
      const { transport, timersLeft } = play(
        ({ at, client, transport, listen }) => {
          closers.push(() => void client.close())
          for (const topic of topics) listen(topic, topic)
          at(1, () => transport.last.opens())
          at(20, () => void client.close())
        },
        {},
        {
          sent: () => {
            if (++sent === closesAfter) closers.pop()?.()
          },
        },
      )
      expect(transport.last.frames).toEqual(topics.slice(0, closesAfter).map(subscribes))
      expect(timersLeft).toBe(0)
    }
  })

  it('are asked for in bursts, between which the event loop has its turn', () => {
    play(({ at, client, transport, listen }) => {
      for (const topic of topics) listen(topic, topic)
      at(1, () => transport.last.opens())
      at(1, () => expect(transport.last.frames).toHaveLength(256))
      at(2, () => expect(transport.last.frames).toHaveLength(700))
      at(3, () => void client.close())
    })
  })

  it('are unsubscribed, each once, when all are left but one', () => {
    const { transport, timersLeft } = play(
      ({ at, transport, listen }) => {
        const all = topics.map((topic) => listen(topic, topic))
        at(1, () => transport.last.opens())
        at(2, () => all.slice(1).forEach((one) => one.unsubscribe()))
        at(50, () => all[0]?.unsubscribe())
      },
      { linger: 10 },
    )
    expect(transport.last.frames.slice(700)).toEqual([...topics.slice(1), topics[0]!].map(unsubscribes))
    expect(timersLeft).toBe(0)
  })
})

describe('a cap on outgoing frames', () => {
  const topics = Array.from({ length: 7 }, (_, index): Topic => `svc-0x${index}`)
  const [, , , fourth, fifth] = topics as [Topic, Topic, Topic, Topic, Topic]

  it('lets so many out in a second; what is left while it waits for its turn never goes out', () => {
    const { transport, timersLeft } = play(
      ({ at, client, transport, listen }) => {
        const all = topics.map((topic) => listen(topic, topic))
        at(1, () => transport.last.opens())
        at(2, () => expect(transport.last.frames).toHaveLength(3))
        // A price of a topic that is live brings the others no nearer.
        at(900, () => transport.last.prices(topics[0]!, 1))
        at(950, () => all.slice(3, 5).forEach((one) => one.unsubscribe()))
        at(1001, () => expect(transport.last.frames).toHaveLength(3))
        at(1100, () => expect(transport.last.frames).toHaveLength(5))
        at(1200, () => void client.close())
      },
      { maxFramesPerSecond: 3 },
    )
    const waited = topics.filter((topic) => topic !== fourth && topic !== fifth)
    expect(transport.last.frames).toEqual(waited.map(subscribes))
    expect(timersLeft).toBe(0)
  })

  it('counts all connections together, those of a moment ago included', () => {
    const sentAt: number[] = []
    let clock = (): number => 0
    play(
      ({ at, now, client, transport, listen }) => {
        clock = now
        for (const topic of topics) listen(topic, topic)
        for (const ms of [1, 2, 3]) at(ms, () => transport.alive.forEach((socket) => socket.opens()))
        at(1500, () => transport.alive[0]?.drops())
        for (const ms of [1700, 1800]) at(ms, () => transport.last.opens())
        at(9000, () => void client.close())
      },
      { maxFramesPerSecond: 2, maxTopicsPerConnection: 3, pingInterval: 20_000 },
      { sent: () => sentAt.push(clock()) },
    )
    // Seven topics, and again the three of the connection that was dropped.
    expect(sentAt).toHaveLength(10)
    for (const [index, at] of sentAt.entries()) {
      if (index >= 2) expect(at - sentAt[index - 2]!).toBeGreaterThan(1000)
    }
  })

  it('keeps no connection for the unsubscribes that wait: hanging up says as much', () => {
    const { lines, timersLeft } = play(
      ({ at, note, client, transport, listen }) => {
        client.status$.subscribe(({ _tag }) => note(_tag))
        const all = topics.map((topic) => listen(topic, topic))
        at(1, () => transport.last.opens())
        at(4000, () => all.forEach((one) => one.unsubscribe()))
      },
      { maxFramesPerSecond: 2, linger: 100, confirmTimeout: 60_000 },
    )
    expect(lines).toEqual(['0 Idle', '0 Connecting', '1 Open', '4100 Idle'])
    expect(timersLeft).toBe(0)
  })
})

describe('what nobody waits for any more', () => {
  it('sets no timer: not once all have left and `linger` is over, not once the client is closed', () => {
    for (const ends of ['leaves', 'closes']) {
      play(
        ({ at, client, transport, listen, timers }) => {
          const all = [listen(a, 'a'), listen(b, 'b')]
          at(1, () => transport.last.opens())
          at(2, () => transport.last.prices(a, 1))
          at(3, () => (ends === 'closes' ? void client.close() : all.forEach((one) => one.unsubscribe())))
          at(ends === 'closes' ? 4 : 14, () => expect(timers()).toBe(0))
        },
        { linger: 10 },
      )
    }
  })

  it('and is rejected while it lingers keeps no socket', () => {
    const { transport } = play(
      ({ at, transport, listen }) => {
        const listening = listen(a, 'a')
        at(1, () => transport.last.opens())
        at(2, () => listening.unsubscribe())
        at(3, () => transport.last.says('Invalid token 0xaa'))
        at(4, () => expect(transport.alive).toEqual([]))
      },
      { linger: 5000 },
    )
    expect(transport.last.frames).toEqual([subscribes(a)])
  })
})

describe('several connections', () => {
  const limited = { maxTopicsPerConnection: 1, linger: 0 }

  it('fail each on its own: who is on another hears nothing of it', () => {
    const { lines } = play(({ at, client, transport, listen, observer }) => {
      client.status$.subscribe(observer('status'))
      listen(a, 'a')
      listen(b, 'b')
      at(1, () => transport.sockets.forEach((socket) => socket.opens()))
      at(2, () => transport.sockets[0]?.drops())
      at(3, () => transport.sockets[1]?.prices(b, 1))
      at(150, () => transport.sockets[2]?.opens())
      at(151, () => transport.sockets[2]?.prices(a, 2))
      at(152, () => void client.close())
    }, limited)
    expect(lines.filter((line) => !line.includes('status'))).toEqual([
      ...['2 a: Disconnected 1', '3 b: 1', '151 a: 2', '152 a: complete', '152 b: complete'],
    ])
  })

  it('have the status of the one that is worst off', () => {
    const { lines } = play(({ at, client, transport, listen, observer }) => {
      listen(a, 'a')
      listen(b, 'b')
      at(0, () => client.status$.subscribe(observer('status')))
      at(1, () => transport.sockets[1]?.opens())
      at(2, () => transport.sockets[0]?.opens())
      at(3, () => transport.sockets[1]?.drops())
      at(200, () => transport.sockets[2]?.opens())
      at(201, () => void client.close())
    }, limited)
    expect(lines.filter((line) => line.includes('status'))).toEqual([
      ...['0 status: Connecting 1', '2 status: Open', '3 status: Waiting 1', '128 status: Connecting 2'],
      ...['200 status: Open', '201 status: Closed', '201 status: complete'],
    ])
  })

  it('number their epochs together', () => {
    const epochs: unknown[] = []
    play(({ at, client, transport }) => {
      const hear = (event: unknown) => epochs.push((event as { right: { epoch: number } }).right.epoch)
      client.price$(a).subscribe(hear)
      client.price$(b).subscribe(hear)
      at(1, () => transport.sockets.forEach((socket) => socket.opens()))
      at(2, () => transport.sockets[1]?.prices(b, 1))
      at(3, () => transport.sockets[0]?.prices(a, 1))
      at(4, () => void client.close())
    }, limited)
    expect(epochs).toEqual([2, 1])
  })

  it('keep a topic where it is, and give its room to another once it is gone', () => {
    const { transport } = play(({ at, client, transport, listen }) => {
      const first = listen(a, 'a')
      listen(b, 'b')
      at(1, () => transport.sockets.forEach((socket) => socket.opens()))
      at(2, () => listen('svc-0xAA', 'a'))
      at(3, () => first.unsubscribe())
      at(4, () => listen(a, 'a'))
      at(5, () => expect(transport.sockets).toHaveLength(2))
      at(6, () => void client.close())
    }, limited)
    expect(transport.sockets.map(({ frames }) => frames)).toEqual([[subscribes(a)], [subscribes(b)]])
    const reused = play(({ at, client, transport, listen }) => {
      const first = listen(a, 'a')
      at(1, () => transport.last.opens())
      at(2, () => first.unsubscribe())
      at(3, () => listen(b, 'b'))
      at(4, () => void client.close())
    }, limited)
    expect(reused.transport.sockets).toHaveLength(2)
    expect(reused.transport.sockets.map(({ state }) => state)).toEqual(['gone', 'gone'])
  })
})
