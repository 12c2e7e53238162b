import { describe, expect, it } from 'vitest'
import type { ClientOptions, PriceClient } from '../../../src/index.js'
import { createManualClient, ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { a, b } from '../../support/time/marbles.js'
import { createTimedLog, type TimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

interface Scenario extends VirtualTime, TimedLog {
  readonly client: PriceClient
  readonly sockets: readonly ManualSocket[]
}

/**
 * Runs a client whose first sockets open at 1. A topic is confirmed by its socket 1 ms after it is requested. Returns the log
 * until 6000.
 */
const runRotation = (
  scenario: (parts: Scenario) => void,
  options: Partial<ClientOptions> = {},
  answersPings: (socket: ManualSocket) => boolean = () => true,
  confirms: (socket: ManualSocket, topic: string) => boolean = () => true,
): readonly string[] => {
  let lines: string[] = []
  const pendingTimers = runInVirtualTime(
    (virtual) => {
      const log = createTimedLog(virtual)
      lines = log.lines
      const transport = new ManualTransport({
        answersPings,
        onDial: ({ url }) => log.add(`dials ${new URL(url).hostname}`),
        onEnd: ({ url }) => log.add(`ends ${new URL(url).hostname}`),
        onSend: (socket, frame) => {
          const { method, topic } = JSON.parse(frame) as { method: string; topic: string }
          if (method === 'subscribe' && confirms(socket, topic))
            virtual.after(1, () => socket.deliverConfirmation(topic))
        },
      })
      const { client } = createManualClient(
        { priceWsUrl: 'ws://first', maxLag: 1_000, ...options },
        transport,
      )
      client.price$(a).subscribe(log.observer('a'))
      virtual.at(1, () => transport.sockets.forEach((socket) => socket.open()))
      scenario({ ...virtual, ...log, client, sockets: transport.sockets })
      virtual.at(20_000, () => void client.close())
    },
    { endsAt: 30_000, random: () => 1 },
  )
  expect(pendingTimers).toBe(0)
  return lines.filter((line) => Number(line.split(' ')[0]) < 6_000)
}

const c = 'svc-0xcc'

const draining = '{"notice":"draining"}'

describe('a line that is older than rotateAfter', () => {
  it('is replaced once its successor has each topic, has answered a ping, and has the same price', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(3_100, () => sockets[1]!.open())
        at(3_110, () => sockets[0]!.deliverPrice(a, 2))
        at(3_115, () => sockets[1]!.deliverPrice(a, 2))
        at(3_210, () => sockets[1]!.deliverPrice(a, 3))
      },
      { rotateAfter: 3_000 },
    )
    expect(lines).toEqual([
      ...['0 dials first', '10 a: 1', '3062.5 dials first', '3110 a: 2', '3122.5 ends first', '3210 a: 3'],
    ])
  })

  it('leaves the price of a quiet topic to its successor once both have answered a ping', () => {
    const lines = runRotation(
      ({ at, sockets, client, observer }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(3_100, () => sockets[1]!.open())
        at(3_500, () => client.price$(a).subscribe(observer('late')))
        at(5_900, () => sockets[1]!.deliverPrice(a, 2))
      },
      { rotateAfter: 3_000 },
    )
    expect(lines).toEqual([
      ...['0 dials first', '10 a: 1', '3062.5 dials first', '3127.5 ends first'],
      ...['3500 late: 1', '5900 a: 2', '5900 late: 2'],
    ])
  })

  it('delivers until the prices agree, and no price is missing or doubled', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        at(3_100, () => sockets[1]!.open())
        // The successor is 2 ms later than the old line.
        for (let price = 1; price <= 40; price++) {
          at(3_000 + 10 * price, () => sockets[0]!.deliverPrice(a, price))
          if (price > 11) at(3_002 + 10 * price, () => sockets[1]!.deliverPrice(a, price))
        }
      },
      { rotateAfter: 3_000 },
    )
    const prices = lines.filter((line) => line.includes(' a: ')).map((line) => Number(line.split(' a: ')[1]))
    expect(prices).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    expect(lines.filter((line) => line.includes('ends'))).toEqual(['3122.5 ends first'])
  })

  it('is replaced after maxLag if the prices do not agree: they are held until a ping is answered', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(3_100, () => sockets[1]!.open())
        at(3_110, () => sockets[1]!.deliverPrice(a, 2))
      },
      { rotateAfter: 3_000 },
    )
    expect(lines.slice(2)).toEqual(['3062.5 dials first', '4122.5 ends first', '4122.75 a: 2'])
  })

  it('does not double a price that arrives again while the prices of its successor are held', () => {
    let isAnswering = true
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(3_100, () => sockets[1]!.open())
        for (let price = 2; price <= 561; price++)
          at(3_000 + 2 * price, () => sockets[0]!.deliverPrice(a, price))
        at(4_000, () => (isAnswering = false))
        at(4_150, () => sockets[1]!.deliverPrice(a, 561))
        at(4_180, () => (isAnswering = true))
        at(4_500, () => sockets[1]!.deliverPrice(a, 562))
      },
      { rotateAfter: 3_000 },
      () => isAnswering,
    )
    expect(lines.slice(-3)).toEqual(['4122 a: 561', '4122.5 ends first', '4500 a: 562'])
  })

  it('leaves its price to its successor after maxLag too, which delivers it to a late subscriber after a ping', () => {
    let isAnswering = true
    const lines = runRotation(
      ({ at, client, sockets, observer }) => {
        at(3_100, () => sockets[1]!.open())
        for (let price = 1; price <= 561; price++)
          at(3_000 + 2 * price, () => sockets[0]!.deliverPrice(a, price))
        at(4_000, () => (isAnswering = false))
        at(4_150, () => client.price$(a).subscribe(observer('held')))
        at(4_180, () => (isAnswering = true))
        at(4_500, () => client.price$(a).subscribe(observer('late')))
      },
      { rotateAfter: 3_000 },
      () => isAnswering,
    )
    expect(lines.slice(-4)).toEqual([
      '4122 a: 561',
      '4122.5 ends first',
      '4372.75 held: 561',
      '4500 late: 561',
    ])
  })

  it('emits its Disconnected if it is lost before its successor is ready, and is not dialled again', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(3_070, () => sockets[0]!.drop())
        at(3_100, () => sockets[1]!.open())
        at(3_110, () => sockets[1]!.deliverPrice(a, 2))
      },
      { rotateAfter: 3_000 },
    )
    expect(lines.slice(2, 6)).toEqual(['3062.5 dials first', '3070 a: Disconnected 1', '3110 a: 2'])
  })

  it('is replaced on its own host, so that two lines never share one', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        for (const index of [0, 1]) at(10, () => sockets[index]!.deliverPrice(a, 1))
        for (const index of [2, 3])
          at(3_100 + 100 * index, () => {
            sockets[index]!.open()
            sockets[index]!.deliverPrice(a, 1)
          })
      },
      { rotateAfter: 3_000, lines: 2, priceWsUrl: ['ws://first', 'ws://second'] },
    )
    expect(lines.filter((line) => line.includes('dials')).map((line) => line.split(' ')[2])).toEqual([
      ...['first', 'second', 'first', 'second'],
    ])
  })
})

describe('a gateway that announces its close', () => {
  const twoUrls = { priceWsUrl: ['ws://first', 'ws://second'] }

  it('is left at once for the next URL', () => {
    const lines = runRotation(({ at, client, sockets, observer }) => {
      at(5, () => client.price$(b).subscribe(observer('b')))
      for (const topic of [a, b]) at(10, () => sockets[0]!.deliverPrice(topic, 1))
      at(20, () => sockets[0]!.deliver(draining))
      at(30, () => sockets[1]!.open())
      at(40, () => sockets[1]!.deliverPrice(a, 1))
      at(50, () => sockets[1]!.deliverPrice(b, 1))
      at(60, () => sockets[1]!.deliverPrice(a, 2))
    }, twoUrls)
    expect(lines).toEqual([
      '0 dials first',
      '10 a: 1',
      '10 b: 1',
      '20 dials second',
      '50 ends first',
      '60 a: 2',
    ])
  })

  it('is left for another gateway behind the same URL', () => {
    const lines = runRotation(({ at, sockets }) => {
      at(10, () => sockets[0]!.deliverPrice(a, 1))
      at(20, () => sockets[0]!.deliver(draining))
      at(30, () => sockets[1]!.open())
      at(40, () => sockets[1]!.deliverPrice(a, 1))
      at(60, () => sockets[1]!.deliverPrice(a, 2))
      at(70, () => sockets[0]!.drop())
    })
    expect(lines).toEqual(['0 dials first', '10 a: 1', '20 dials first', '55 ends first', '60 a: 2'])
  })

  it('delivers until its end if no other gateway is behind the only URL, which is dialled once', () => {
    const lines = runRotation(({ at, sockets }) => {
      at(10, () => sockets[0]!.deliver(draining))
      at(15, () => sockets[1]!.drop())
      at(1_000, () => sockets[0]!.deliverPrice(a, 1))
    })
    expect(lines).toEqual(['0 dials first', '10 dials first', '1000 a: 1'])
  })

  it('leaves its price to its successor with its age: a front with a later price and no further one is not silent', () => {
    const lines = runRotation(
      ({ at, add, client, sockets }) => {
        for (const index of [0, 1]) at(10, () => sockets[index]!.deliverPrice(a, 1))
        at(20, () => sockets[0]!.deliverPrice(a, 2))
        at(1_000, () => sockets[1]!.deliver(draining))
        at(1_010, () => sockets[2]!.open())
        at(4_000, () =>
          add(
            client
              .inspect()
              .lines.map(({ isFront }) => isFront)
              .join(),
          ),
        )
      },
      { lines: 2, priceWsUrl: ['ws://first', 'ws://second', 'ws://third'] },
    )
    expect(lines.slice(3)).toEqual(['20 a: 2', '1000 dials third', '1025 ends second', '4000 true,false'])
  })

  it('leaves its price to its successor with its age, which counts toward staleAfter and in inspect()', () => {
    const lines = runRotation(
      ({ at, add, client, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 1))
        at(1_000, () => sockets[0]!.deliver(draining))
        at(1_010, () => sockets[1]!.open())
        at(1_500, () => add(String(client.inspect().topics[0]!.lastPriceAgeMs)))
      },
      { staleAfter: 2_000 },
    )
    expect(lines.slice(3)).toEqual(['1130 ends first', '1500 1490', '2010 a: Stale'])
  })

  it('delivers no older price after a message without one: those of its successor are held until a ping is answered', () => {
    let isAnswering = true
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets[0]!.deliverPrice(a, 5))
        at(20, () => sockets[0]!.deliver(draining))
        at(30, () => sockets[1]!.open())
        at(40, () => {
          sockets[1]!.deliverPrice(a, 4)
          isAnswering = false
        })
        at(100, () => sockets[0]!.deliver(`{"topic":"${a}","price":"?"}`))
        at(150, () => {
          sockets[1]!.deliverPrice(a, 6)
          isAnswering = true
        })
      },
      { priceWsUrl: ['ws://first', 'ws://second'] },
      ({ url }) => isAnswering || url === 'ws://first/',
    )
    expect(lines.slice(-3)).toEqual(['100 a: DecodeError', '100 ends first', '350.25 a: 6'])
  })

  it('leaves a topic stale after a message without a price, until its successor has a price', () => {
    const lines = runRotation(({ at, add, client, sockets }) => {
      const addState = (): void => add(client.inspect().topics[0]!.state)
      at(10, () => sockets[0]!.deliverPrice(a, 1))
      at(20, () => sockets[0]!.deliver(`{"topic":"${a}","price":-1}`))
      at(30, addState)
      at(1_000, () => sockets[0]!.deliver(draining))
      at(1_010, () => sockets[1]!.open())
      at(1_500, addState)
      at(2_000, () => sockets[1]!.deliverPrice(a, 2))
      at(2_010, addState)
    })
    expect(lines.slice(1)).toEqual([
      ...['10 a: 1', '20 a: DecodeError', '30 stale', '1000 dials first', '1035 ends first'],
      ...['1500 stale', '2000 a: 2', '2010 live'],
    ])
  })

  it('delivers no older price if another line fails, and its own prices are not proven yet', () => {
    let silent: readonly string[] = []
    const lines = runRotation(
      ({ at, sockets }) => {
        for (const index of [0, 1]) at(5, () => sockets[index]!.deliverPrice(a, 1))
        at(20, () => sockets[1]!.deliver(draining))
        at(30, () => {
          sockets[0]!.deliverPrice(a, 2)
          silent = ['second']
          sockets[0]!.drop()
        })
        at(31, () => sockets[2]!.open())
        at(33, () => sockets[2]!.deliverPrice(a, 1))
        at(34, () => (silent = ['second', 'third']))
        for (const index of [1, 2]) at(100, () => sockets[index]!.deliverPrice(a, 2))
        at(110, () => (silent = []))
        at(4_000, () => sockets[2]!.deliverPrice(a, 3))
      },
      { lines: 2, priceWsUrl: ['ws://first', 'ws://second', 'ws://third'] },
      ({ url }) => !silent.includes(new URL(url).hostname),
    )
    expect(lines.filter((line) => line.includes(' a: '))).toEqual(['5 a: 1', '30 a: 2', '4000 a: 3'])
  })
})

describe('a successor that is in front because the old line is lost', () => {
  it('is dialled again when it is lost too', () => {
    const lines = runRotation(({ at, sockets }) => {
      at(10, () => sockets[0]!.deliverPrice(a, 1))
      at(20, () => sockets[0]!.deliver(draining))
      at(30, () => sockets[1]!.open())
      at(35, () => sockets[1]!.deliverPrice(a, 2))
      at(41, () => sockets.forEach((socket) => socket.drop()))
      at(400, () => sockets[2]!.open())
      at(410, () => sockets[2]!.deliverPrice(a, 3))
    })
    expect(lines.filter((line) => !line.includes('dials'))).toEqual([
      '10 a: 1',
      '41 a: Disconnected 1',
      '410 a: 3',
    ])
  })
})

describe('a successor that is in front because the old line is silent', () => {
  it('takes over no price when the old line is closed: it may have been replaced since', () => {
    let isAnswering = true
    const lines = runRotation(
      ({ at, client, sockets, observer }) => {
        at(5, () => client.price$(b).subscribe(observer('b')))
        at(5, () => client.price$(c).subscribe(observer('c')))
        for (const topic of [a, b]) at(10, () => sockets[0]!.deliverPrice(topic, 1))
        at(20, () => sockets[0]!.deliver(draining))
        at(30, () => sockets[1]!.open())
        at(40, () => sockets[1]!.deliverPrice(b, 2))
        // The old line remains, because it has a topic that the successor has not confirmed.
        at(1_500, () => sockets[1]!.deliverConfirmation(a, b, c))
        at(3_000, () => (isAnswering = false))
        at(4_200, () => (isAnswering = true))
      },
      { rotateAfter: 100_000, priceWsUrl: ['ws://first', 'ws://second'] },
      () => isAnswering,
      ({ url }, topic) => !(url.includes('second') && topic === c),
    )
    expect(lines.filter((line) => line.includes(' a: '))).toEqual([
      '10 a: 1',
      '1125 a: Stale',
      '4050.5 a: Stale',
    ])
  })
})

describe('two lines to the same host', () => {
  it('get another host again when it returns', () => {
    const lines = runRotation(
      ({ at, sockets }) => {
        at(10, () => sockets.forEach((socket) => socket.deliverPrice(a, 1)))
        at(1_000, () => sockets[1]!.drop())
        at(1_010, () => sockets[2]!.open())
        // The wait before the dial of the lost host is 250 ms, then 500 ms.
        at(1_300, () => sockets[3]!.drop())
        at(1_900, () => sockets[4]!.open())
        at(1_901, () => sockets[4]!.deliverPrice(a, 1))
      },
      { lines: 2, priceWsUrl: ['ws://first', 'ws://second'] },
    )
    expect(lines).toEqual([
      ...['0 dials first', '0 dials second', '10 a: 1', '1000 dials first', '1250 dials second'],
      ...['1812.5 dials second', '1922.5 ends first'],
    ])
  })
})
