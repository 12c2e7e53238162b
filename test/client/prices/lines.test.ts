import { describe, expect, it } from 'vitest'
import type { ClientOptions, PriceClient } from '../../../src/index.js'
import { createManualClient, ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { notifyPong } from '../../../src/wire/transport/ports.js'
import { a, b } from '../../support/time/marbles.js'
import { createTimedLog, type TimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

type Host = 'first' | 'second'

interface Scenario extends VirtualTime, TimedLog {
  readonly client: PriceClient
  readonly transport: ManualTransport
  /** The first socket to a host that is open or connecting. */
  readonly line: (host: Host) => ManualSocket
  /** The hosts that answer pings. */
  readonly answering: Set<Host>
  /** Delivers a price on each open line. */
  readonly deliver: (topic: string, price: number) => void
}

/** Runs a client with two lines to two hosts, which has opened both at 1 and confirmed `a` at 2. */
const runLines = (
  scenario: (parts: Scenario) => void,
  options: Partial<ClientOptions> = {},
): readonly string[] => {
  let lines: string[] = []
  const pendingTimers = runInVirtualTime(
    (virtual) => {
      const log = createTimedLog(virtual)
      lines = log.lines
      const answering = new Set<Host>(['first', 'second'])
      const hostOf = ({ url }: ManualSocket): Host => (url.includes('first') ? 'first' : 'second')
      const transport = new ManualTransport({ answersPings: (socket) => answering.has(hostOf(socket)) })
      const line = (host: Host): ManualSocket =>
        transport.activeSockets.find((socket) => hostOf(socket) === host)!
      const deliver = (topic: string, price: number): void => {
        for (const socket of transport.activeSockets)
          if (socket.state === 'open') socket.deliverPrice(topic, price)
      }
      const { client } = createManualClient(
        { lines: 2, priceWsUrl: ['ws://first.example', 'ws://second.example'], maxLag: 1_000, ...options },
        transport,
      )
      client.price$(a).subscribe(log.observer('a'))
      virtual.at(1, () => transport.activeSockets.forEach((socket) => socket.open()))
      virtual.at(2, () => transport.activeSockets.forEach((socket) => socket.deliverConfirmation(a)))
      scenario({ ...virtual, ...log, client, transport, line, answering, deliver })
      virtual.at(20_000, () => void client.close())
    },
    { endsAt: 30_000, random: () => 1 },
  )
  expect(pendingTimers).toBe(0)
  return lines.filter((text) => text !== '20000 a: complete')
}

describe('two lines', () => {
  it('deliver the prices of the front alone', () => {
    const lines = runLines(({ at, line }) => {
      at(10, () => line('first').deliverPrice(a, 1))
      at(11, () => line('second').deliverPrice(a, 1))
      at(12, () => line('second').deliverPrice(a, 2))
      at(13, () => line('first').deliverPrice(a, 2))
    })
    expect(lines).toEqual(['10 a: 1', '13 a: 2'])
  })

  it('change without a Left when the front is lost, with a new epoch, and do not repeat its last price', () => {
    const lines = runLines(({ at, line, deliver, client, add }) => {
      client.status$.subscribe((status) => {
        if (status._tag === 'Open') add(`epoch ${status.epoch}, switches ${status.switches}`)
      })
      at(10, () => deliver(a, 1))
      at(20, () => line('first').drop())
      at(30, () => line('second').deliverPrice(a, 2))
    })
    expect(lines).toEqual(['1 epoch 1, switches 0', '10 a: 1', '20 epoch 3, switches 1', '30 a: 2'])
  })

  it('hold the prices of a new front until it has answered a new ping, then deliver the newest', () => {
    const lines = runLines(({ at, line, answering }) => {
      at(10, () => line('first').deliverPrice(a, 5))
      at(11, () => line('second').deliverPrice(a, 3))
      at(15, () => answering.delete('second'))
      at(20, () => line('first').drop())
      for (const price of [4, 5, 6]) at(20 + price, () => line('second').deliverPrice(a, price))
      at(40, () => line('second').listener.pong?.())
      at(41, () => answering.add('second'))
      at(50, () => line('second').deliverPrice(a, 7))
    })
    expect(lines).toEqual(['10 a: 5', '40 a: 6', '50 a: 7'])
  })

  it('emit a Stale once the held prices may be older than maxLag, also soon after the change', () => {
    const lines = runLines(({ at, line, deliver, answering, add, client }) => {
      at(10, () => deliver(a, 1))
      // Its last answered ping was sent at 896.25.
      at(900, () => answering.delete('second'))
      at(1_700, () => line('first').drop())
      at(1_890, () => add(client.inspect().topics[0]!.state))
      at(1_900, () => add(client.inspect().topics[0]!.state))
    })
    expect(lines.slice(0, 4)).toEqual(['10 a: 1', '1890 live', '1896.25 a: Stale', '1900 stale'])
  })

  it('hold the prices of a new front after a Stale too, until it has answered a new ping', () => {
    const lines = runLines(({ at, answering, line, deliver }) => {
      let [answered, before] = [0, 0]
      const answer = (pings: number): void => {
        for (; answered < pings; answered++) notifyPong(line('second').listener)
      }
      at(10, () => deliver(a, 1))
      at(20, () => {
        answering.delete('second')
        answered = line('second').pings
      })
      at(400, () => line('first').deliverPrice(a, 3))
      at(440, () => (before = line('second').pings))
      at(450, () => line('first').drop())
      at(1_100, () => {
        answer(before)
        for (const price of [2, 3, 4]) line('second').deliverPrice(a, price)
        answer(line('second').pings)
        answering.add('second')
      })
      at(1_200, () => line('second').deliverPrice(a, 5))
    })
    expect(lines).toEqual(['10 a: 1', '400 a: 3', '1001 a: Stale', '1100 a: 4', '1200 a: 5'])
  })

  it('deliver a held price of a new front without a Stale, although the last one of the old front was held too', () => {
    const lines = runLines(({ at, line, answering, deliver }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.delete('first'))
      at(500, () => deliver(a, 2))
      // Held by the first line, which is no longer in front in the same turn.
      at(1_012, () => {
        answering.delete('second')
        deliver(a, 3)
      })
      for (const price of [4, 5]) at(1_015 + price, () => line('second').deliverPrice(a, price))
      at(1_030, () => line('second').listener.pong?.())
      at(1_031, () => answering.add('second'))
    })
    expect(lines.slice(0, 3)).toEqual(['10 a: 1', '500 a: 2', '1030 a: 5'])
  })

  it('deliver the price of a new front to a subscriber that joined while it was held, although the others have it', () => {
    const lines = runLines(({ at, line, deliver, answering, client, observer }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.delete('second'))
      at(20, () => line('first').drop())
      at(25, () => client.price$(a).subscribe(observer('late')))
      at(40, () => line('second').listener.pong?.())
      at(41, () => answering.add('second'))
    })
    expect(lines).toEqual(['10 a: 1', '40 late: 1', '20000 late: complete'])
  })

  it('do not repeat the last delivered price, although the old front held a later one', () => {
    const lines = runLines(({ at, line, answering, deliver }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.delete('first'))
      at(1_012, () => line('first').deliverPrice(a, 2))
      at(1_200, () => line('second').deliverPrice(a, 3))
    })
    expect(lines).toEqual(['10 a: 1', '1200 a: 3'])
  })

  it('do not repeat the last delivered price, although the old front held it for a later subscriber', () => {
    const lines = runLines(({ at, client, observer, answering, deliver }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.delete('first'))
      at(1_003, () => client.price$(a).subscribe(observer('late')))
    })
    expect(lines).toEqual(['10 a: 1', '1003 late: Stale', '1003.25 late: 1', '20000 late: complete'])
  })

  it('show a topic as waiting while its first price is held on a new front', () => {
    const lines = runLines(
      ({ at, add, line, answering, client, observer, deliver }) => {
        const addStates = (): void =>
          add(
            client
              .inspect()
              .topics.map(({ state }) => state)
              .join(),
          )
        at(5, () => client.price$(b).subscribe(observer('b')))
        at(10, () => deliver(a, 1))
        at(300, () => line('second').deliverPrice(b, 1))
        at(400, () => answering.delete('second'))
        at(410, () => line('first').drop())
        at(420, addStates)
        at(430, () => {
          answering.add('second')
          line('second').listener.pong?.()
        })
        at(900, addStates)
      },
      { confirmTimeout: 200 },
    )
    expect(lines).toEqual([
      ...['10 a: 1', '205 b: SubscriptionTimeout', '405 b: SubscriptionTimeout', '420 live,waiting'],
      ...['430 b: 1', '900 live,live', '20000 b: complete'],
    ])
  })

  it('emit the Left of the front for a topic that has no price on the other line', () => {
    const lines = runLines(({ at, line, client, observer }) => {
      at(5, () => client.price$(b).subscribe(observer('b')))
      for (const topic of [a, b]) at(10, () => line('first').deliverPrice(topic, 1))
      at(11, () => line('second').deliverPrice(a, 1))
      at(20, () => line('first').drop())
      at(30, () => line('second').deliverPrice(b, 2))
    })
    expect(lines).toEqual(['10 a: 1', '10 b: 1', '20 b: Disconnected 1', '30 b: 2', '20000 b: complete'])
  })

  it('emit the DecodeError of the new front, to late subscribers too, and a Stale after staleAfter', () => {
    const lines = runLines(
      ({ at, line, client, observer, deliver }) => {
        at(5, () => client.price$(b).subscribe(observer('b')))
        at(6, () => line('second').deliverConfirmation(b))
        at(10, () => deliver(a, 1))
        for (const topic of [a, b]) at(11, () => line('second').deliver(`{"topic":"${topic}","price":-1}`))
        at(20, () => line('first').drop())
        at(30, () => client.price$(a).subscribe(observer('late a')))
        at(40, () => client.price$(b).subscribe(observer('late b')))
        at(600, () => line('second').deliverPrice(a, 2))
      },
      { staleAfter: 500 },
    )
    expect(lines.filter((text) => Number(text.split(' ')[0]) < 1_000)).toEqual([
      ...['10 a: 1', '20 a: DecodeError', '30 late a: DecodeError', '40 late b: DecodeError'],
      ...[
        '506 b: Stale',
        '506 late b: Stale',
        '510 a: Stale',
        '510 late a: Stale',
        '600 a: 2',
        '600 late a: 2',
      ],
    ])
  })

  it('change when the front is behind, and emit no Stale', () => {
    const lines = runLines(({ at, deliver, answering, client, add }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.delete('first'))
      for (let ms = 100; ms < 3_000; ms += 300) at(ms, () => deliver(a, ms))
      at(3_000, () =>
        add(
          client
            .inspect()
            .lines.map(({ isFront }) => isFront)
            .join(),
        ),
      )
    })
    expect(lines).toEqual([
      ...['10 a: 1', '100 a: 100', '400 a: 400', '700 a: 700', '1000 a: 1000', '1300 a: 1300'],
      ...['1600 a: 1600', '1900 a: 1900', '2200 a: 2200', '2500 a: 2500', '2800 a: 2800', '3000 false,true'],
    ])
  })

  it('change when the front answers pings, but has sent no price within maxLag after a price of the other line', () => {
    const lines = runLines(({ at, line, deliver }) => {
      at(10, () => deliver(a, 1))
      for (let ms = 500; ms < 3_000; ms += 500) at(ms, () => line('second').deliverPrice(a, ms))
    })
    // The first price that the first line lacks came at 500: the check at 500 was the first one after it.
    expect(lines).toEqual(['10 a: 1', '1500.25 a: 1500', '2000 a: 2000', '2500 a: 2500'])
  })

  it('do not change in a quiet market, although the last price of the other line came later', () => {
    const lines = runLines(({ at, line, client, add }) => {
      for (const price of [1, 2]) {
        at(100 * price, () => line('first').deliverPrice(a, price))
        at(100 * price + 90, () => line('second').deliverPrice(a, price))
      }
      at(5_000, () =>
        add(
          client
            .inspect()
            .lines.map(({ isFront }) => isFront)
            .join(),
        ),
      )
    })
    expect(lines).toEqual(['100 a: 1', '200 a: 2', '5000 true,false'])
  })

  it('emit the Left of the front when no other line is ready, and go on with the one that is first', () => {
    const lines = runLines(({ at, after, line, deliver, transport }) => {
      at(10, () => deliver(a, 1))
      at(20, () => line('second').drop())
      at(21, () => line('first').drop())
      at(300, () => {
        const [socket] = transport.activeSockets
        socket!.open()
        after(1, () => socket!.deliverPrice(a, 2))
      })
    })
    expect(lines).toEqual(['10 a: 1', '21 a: Disconnected 1', '301 a: 2'])
  })

  it('do not alternate when both are behind', () => {
    const lines = runLines(({ at, deliver, answering, client, add }) => {
      at(10, () => deliver(a, 1))
      at(15, () => answering.clear())
      for (let ms = 100; ms < 2_500; ms += 300) at(ms, () => deliver(a, ms))
      at(1_900, () => {
        const { status } = client.inspect()
        add(status._tag === 'Open' ? `switches ${status.switches}` : status._tag)
      })
    })
    expect(lines.slice(0, 7)).toEqual([
      ...['10 a: 1', '100 a: 100', '400 a: 400', '700 a: 700', '1000 a: 1000', '1051.5 a: Stale'],
      '1900 switches 0',
    ])
  })

  it('subscribe each topic on both, and unsubscribe it on both after the last subscriber', () => {
    const lines = runLines(({ at, after, line, client, add }) => {
      const frames = (): void => {
        for (const host of ['first', 'second'] as const)
          add(
            `${host}: ${line(host)
              .frames.map((frame) => frame.slice(11, frame.indexOf(',') - 1))
              .join()}`,
          )
      }
      at(10, () => {
        const subscription = client.price$(b).subscribe()
        after(10, () => subscription.unsubscribe())
      })
      at(15, frames)
      at(2_000, frames)
    })
    expect(lines).toEqual([
      '15 first: subscribe,subscribe',
      '15 second: subscribe,subscribe',
      '2000 first: subscribe,subscribe,unsubscribe',
      '2000 second: subscribe,subscribe,unsubscribe',
    ])
  })

  it('complete a topic that the front rejects, and unsubscribe it on the other line', () => {
    const lines = runLines(({ at, line, client, observer, add }) => {
      at(5, () => client.price$(b).subscribe(observer('b')))
      at(6, () => line('second').deliverConfirmation(a, b))
      at(7, () => line('first').deliver(`Unsupported pair (${b.slice(4)})`))
      at(2_000, () => add(line('second').frames.at(-1)!))
    })
    expect(lines).toEqual([
      '7 b: SubscriptionRejected',
      '7 b: complete',
      `2000 {"method":"unsubscribe","topic":"${b}"}`,
    ])
  })

  it('request a topic again on the line that stands by if it has rejected it, after confirmTimeout', () => {
    const lines = runLines(
      ({ at, add, line, client, observer, deliver }) => {
        at(5, () => client.price$(b).subscribe(observer('b')))
        at(6, () => line('second').deliver(`Invalid (exchange, base, quote) tuple: ${b.slice(4)}`))
        at(7, () => line('first').deliverPrice(b, 1))
        at(510, () => add(line('second').frames.at(-1)!))
        at(520, () => deliver(b, 2))
        at(600, () => line('first').drop())
        at(700, () => line('second').deliverPrice(b, 3))
      },
      { confirmTimeout: 500 },
    )
    expect(lines).toEqual([
      ...['7 b: 1', `510 {"method":"subscribe","topic":"${b}"}`, '520 b: 2', '700 b: 3'],
      '20000 b: complete',
    ])
  })

  it('request a topic at once that the new front has rejected, and emit what it answers', () => {
    const lines = runLines(
      ({ at, add, line, client, observer }) => {
        at(5, () => client.price$(b).subscribe(observer('b')))
        at(6, () => line('second').deliver(`Invalid (exchange, base, quote) tuple: ${b.slice(4)}`))
        at(7, () => line('first').deliverPrice(b, 1))
        at(100, () => line('first').drop())
        at(101, () => add(line('second').frames.slice(2).join()))
        at(110, () => line('second').deliver(`Invalid (exchange, base, quote) tuple: ${b.slice(4)}`))
      },
      { confirmTimeout: 500 },
    )
    expect(lines).toEqual([
      ...['7 b: 1', '100 b: Disconnected 1', `101 {"method":"subscribe","topic":"${b}"}`],
      ...['110 b: SubscriptionRejected', '110 b: complete'],
    ])
  })

  it('let the second line deliver while the first dial of the first one hangs', () => {
    const lines: string[] = []
    runInVirtualTime(
      (virtual) => {
        const log = createTimedLog(virtual)
        const { client, transport } = createManualClient({
          lines: 2,
          priceWsUrl: ['ws://first.example', 'ws://second.example'],
        })
        client.price$(a).subscribe(log.observer('a'))
        virtual.at(1, () => transport.lastSocket.open())
        virtual.at(2, () => transport.lastSocket.deliverPrice(a, 1))
        virtual.at(1_000, () => void client.close())
        lines.push(...log.lines)
        virtual.at(1_001, () => lines.push(...log.lines))
      },
      { endsAt: 2_000 },
    )
    expect(lines).toEqual(['312.75 a: 1', '1000 a: complete'])
  })
})
