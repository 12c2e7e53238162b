import { BehaviorSubject, filter, firstValueFrom, switchMap } from 'rxjs'
import type { PriceClient, Topic, UncorrelatedError } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { nextTurn } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import {
  activeTopics,
  createPriceClient,
  startScriptedService,
  confirmAndSendPrice,
  type ServiceConnection,
  type ScriptedService,
} from '../support/network/scripted-service.js'
import { disconnectedErrors, createTopics, type CollectedPrices } from './support/collected-prices.js'
import { seededRandom } from '../../src/simulator/market/seeded-random.js'

// The subscriptions at the service depend only on the topics that have subscribers now.

const invalidTuple = 'Invalid (exchange, base, quote) tuple'

const refusalOf = (topic: Topic): string =>
  `${invalidTuple}: svc does not support the pair (${topic.slice('svc-'.length)}, 0xaf88)`

const openLines = ({ connections }: ScriptedService): readonly ServiceConnection[] =>
  connections.filter(({ isOpen }) => isOpen())

/** The active topics of all connections at the service. A topic on two connections is listed twice. */
const activeAt = (service: ScriptedService): readonly string[] =>
  openLines(service).flatMap(activeTopics).sort()

const errorsOf = (client: PriceClient): readonly UncorrelatedError[] => {
  const errors: UncorrelatedError[] = []
  client.errors$.subscribe((error) => errors.push(error))
  return errors
}

/** Resolves when the service has received all earlier frames, by means of a last subscribe. */
const heardUpTo = async (connection: ServiceConnection, client: PriceClient): Promise<void> => {
  const last: Topic = 'svc-0xfff1'
  collectEvents(client.price$(last))
  await eventually(() => expect(connection.receivedMessages).toContain(`subscribe ${last}`))
}

describe('after a disconnect', () => {
  it('during resubscription, twice in a row, each wanted topic is subscribed once, and no other', async () => {
    const all = createTopics(1000)
    const unsubscribed = all.slice(0, 50)
    const late: readonly Topic[] = ['svc-0xfeed', 'svc-0xbeef']
    const service = await startScriptedService({
      onOpen: ({ id }) => {
        if (id !== 2) return
        for (const topic of unsubscribed) prices.get(topic)!.subscription.unsubscribe()
        for (const topic of late) prices.set(topic, collectEvents(client.price$(topic)))
      },
      onSubscribe: (connection, topic) => {
        const cut = connection.id === 2 || connection.id === 3
        if (cut && connection.receivedMessages.length === 100) connection.tcpSocket.resetAndDestroy()
        else if (!cut || connection.receivedMessages.length < 100) confirmAndSendPrice(connection, topic)
      },
    })
    const client = createPriceClient(service.url, { linger: 60_000 })
    const prices = new Map(all.map((topic) => [topic, collectEvents(client.price$(topic))]))
    const havePricesOf = (line: number, wanted: readonly Topic[]) => () => {
      for (const topic of wanted) expect(prices.get(topic)?.values().at(-1)?.price).toBe(line)
    }
    await eventually(havePricesOf(1, all))
    service.connections[0]!.tcpSocket.destroy()
    const wanted = [...all.slice(50), ...late]
    await eventually(havePricesOf(4, wanted))
    expect(activeAt(service)).toEqual([...wanted].sort())
    expect(service.connections[3]!.receivedMessages).toHaveLength(wanted.length)
    for (const connection of service.connections)
      expect(activeTopics(connection)).toHaveLength(connection.receivedMessages.length)
    for (const topic of wanted.slice(0, -late.length))
      expect(disconnectedErrors(prices.get(topic)!)).toHaveLength(3)
  })

  it('no unsubscribe is sent on the new connection, whether the subscriber left before, on or after it', async () => {
    const [before, because, after, stays] = createTopics(4) as [Topic, Topic, Topic, Topic]
    const service = await startScriptedService({
      // The client has emitted Disconnected and sends its first frame after this dial.
      onDial: (dial) => {
        if (dial === 2) later.subscription.unsubscribe()
      },
      onSubscribe: confirmAndSendPrice,
    })
    const client = createPriceClient(service.url, { linger: 60_000 })
    const leaving = collectEvents(client.price$(before))
    const later = collectEvents(client.price$(after))
    const staying = collectEvents(client.price$(stays))
    const fleeing = client.price$(because).subscribe((event) => {
      if (event._tag === 'Left') fleeing.unsubscribe()
    })
    await eventually(() => expect(service.connections[0]?.receivedMessages).toHaveLength(4))
    await eventually(() => expect(staying.values()).toHaveLength(1))
    leaving.subscription.unsubscribe()
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(staying.values()).toHaveLength(2))
    await heardUpTo(service.connections[1]!, client)
    expect(service.connections[1]!.receivedMessages.slice(0, -1)).toEqual([`subscribe ${stays}`])
  })

  it('a topic that is unsubscribed and subscribed again while down is requested once', async () => {
    const coming: CollectedPrices[] = []
    const service = await startScriptedService({
      onDial: (dial) => {
        if (dial !== 2) return
        for (let times = 0; times < 3; times++) {
          coming.at(-1)?.subscription.unsubscribe()
          btc.subscription.unsubscribe()
          coming.push(collectEvents(client.price$(btcTopic)))
        }
      },
      onSubscribe: confirmAndSendPrice,
    })
    const client = createPriceClient(service.url, { linger: 0 })
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(btc.values()).toHaveLength(1))
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(coming.at(-1)?.values()).toHaveLength(1))
    expect(disconnectedErrors(btc)).toHaveLength(1)
    await eventually(() => expect(eth.values()).toHaveLength(2))
    expect([...service.connections[1]!.receivedMessages].sort()).toEqual([
      `subscribe ${btcTopic}`,
      `subscribe ${ethTopic}`,
    ])
  })
})

describe('late frames', () => {
  it('of an abandoned connection are ignored', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => connection.id === 1 && confirmAndSendPrice(connection, topic),
    })
    const client = createPriceClient(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const first = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(first.values()).toHaveLength(1))
    const old = service.connections[0]!
    // The service does not read the close frame, so its side stays open.
    old.tcpSocket.pause()
    first.subscription.unsubscribe()
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    const second = collectEvents(client.price$(ethTopic))
    await eventually(() =>
      expect(service.connections[1]?.receivedMessages).toEqual([`subscribe ${ethTopic}`]),
    )
    old.sendConfirmation(ethTopic)
    old.sendPrice(ethTopic, 666)
    old.sendPrice(ethTopic, -1)
    old.send(refusalOf(ethTopic))
    old.send(invalidTuple)
    old.send(Buffer.of(6))
    await new Promise((resolve) => old.tcpSocket.write(Buffer.of(0x8a, 0), resolve))
    old.tcpSocket.resume()
    // Now the service has read the close frame, and the client has read all earlier frames.
    await eventually(() => expect(old.tcpSocket.destroyed).toBe(true))
    expect(client.inspect().topics).toMatchObject([{ topic: ethTopic, state: 'waiting' }])
    service.connections[1]!.sendPrice(ethTopic, 2)
    await eventually(() => expect(second.events).toHaveLength(1))
    expect(second.values()[0]).toMatchObject({ price: 2, epoch: 2 })
    expect(errors).toEqual([])
  })

  it('without an address reject no topic that was unsubscribed and subscribed again', async () => {
    const service = await startScriptedService()
    const client = createPriceClient(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const first = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(service.connections[0]?.receivedMessages).toHaveLength(1))
    const connection = service.connections[0]!
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(connection.receivedMessages).toHaveLength(2))
    connection.sendConfirmation(btcTopic)
    first.subscription.unsubscribe()
    await eventually(() => expect(connection.receivedMessages).toHaveLength(3))
    const second = collectEvents(client.price$(ethTopic))
    await eventually(() =>
      expect(connection.receivedMessages.slice(2)).toEqual([
        `unsubscribe ${ethTopic}`,
        `subscribe ${ethTopic}`,
      ]),
    )
    connection.send(invalidTuple)
    connection.sendConfirmation(btcTopic)
    connection.sendConfirmation(btcTopic, ethTopic)
    connection.sendPrice(ethTopic, 3)
    await eventually(() => expect(second.values()).toHaveLength(1))
    expect([...second.tags(), ...btc.tags()]).toEqual(['Right'])
    expect(errors).toMatchObject([{ kind: 'error-text', input: invalidTuple }])
  })

  it('of an unsubscribed topic are dropped without an error', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(btc.values()).toHaveLength(1))
    const connection = service.connections[0]!
    eth.subscription.unsubscribe()
    await eventually(() => expect(connection.receivedMessages).toContain(`unsubscribe ${ethTopic}`))
    connection.sendPrice(ethTopic, 4)
    connection.sendPrice(ethTopic, -4)
    connection.sendConfirmation(ethTopic, btcTopic)
    connection.sendConfirmation(btcTopic)
    connection.sendPrice(btcTopic, 5)
    await eventually(() => expect(btc.values().at(-1)?.price).toBe(5))
    expect(eth.tags()).toEqual(['Right'])
    expect(btc.tags()).toEqual(['Right', 'Right'])
    expect(errors).toEqual([])
    expect(client.inspect().topics).toMatchObject([{ topic: btcTopic }])
  })

  it('of a closed connection do not confirm a topic on the next one', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        connection.sendConfirmation(topic)
        // One write: the client must ignore the price after the close frame.
        if (connection.id === 1) {
          connection.tcpSocket.cork()
          connection.tcpSocket.write(Buffer.of(0x88, 2, 3, 0xf4))
          connection.sendPrice(topic, 666)
          connection.tcpSocket.uncork()
        }
      },
    })
    const eth = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(service.connections[1]?.receivedMessages).toHaveLength(1))
    service.connections[1]!.sendPrice(ethTopic, 2)
    await eventually(() => expect(eth.values()).toHaveLength(1))
    expect(eth.tags()).toEqual(['Disconnected', 'Right'])
    expect(eth.values()[0]).toMatchObject({ price: 2, epoch: 2 })
  })
})

describe('a rejection', () => {
  it('completes the stream, and the topic is not requested again, also after a reconnect', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        if (topic === ethTopic) connection.send(refusalOf(ethTopic))
        else confirmAndSendPrice(connection, topic)
      },
    })
    const client = createPriceClient(service.url, { linger: 0 })
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(eth.isComplete()).toBe(true))
    await eventually(() => expect(btc.values()).toHaveLength(1))
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(btc.values()).toHaveLength(2))
    await heardUpTo(service.connections[1]!, client)
    expect(eth.tags()).toEqual(['SubscriptionRejected'])
    // No unsubscribe either: the topic was never active.
    const messages = service.connections.flatMap((connection) => connection.receivedMessages)
    expect(messages.filter((message) => message.endsWith(ethTopic))).toEqual([`subscribe ${ethTopic}`])
  })

  it('of the only topic closes the connection', async () => {
    const service = await startScriptedService({ onSubscribe: (connection) => connection.send(invalidTuple) })
    const client = createPriceClient(service.url)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.isComplete()).toBe(true))
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    await eventually(() => expect(openLines(service)).toEqual([]))
    expect(service.dialTimes.length).toBe(1)
    expect(client.inspect().topics).toEqual([])
  })

  it('after the confirmation is an uncorrelated error', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url)
    const errors = errorsOf(client)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    const connection = service.connections[0]!
    connection.send(refusalOf(ethTopic))
    connection.send(invalidTuple)
    connection.sendPrice(ethTopic, 7)
    await eventually(() => expect(eth.values().at(-1)?.price).toBe(7))
    expect(eth.tags()).toEqual(['Right', 'Right'])
    expect(errors.map(({ kind }) => kind)).toEqual(['error-text', 'error-text'])
    expect(connection.receivedMessages).toEqual([`subscribe ${ethTopic}`])
  })
})

describe('subscribing and unsubscribing', () => {
  it('within one tick opens no connection and sends no frame', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { linger: 0 })
    const comeAndGo = (): void => {
      for (let times = 0; times < 100; times++) client.price$(btcTopic).subscribe().unsubscribe()
    }
    comeAndGo()
    await nextTurn()
    expect(await firstValueFrom(client.status$)).toEqual({ _tag: 'Idle' })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    comeAndGo()
    await heardUpTo(service.connections[0]!, client)
    expect(service.connections[0]!.receivedMessages.slice(0, -1)).toEqual([`subscribe ${ethTopic}`])
    expect(service.dialTimes.length).toBe(1)
  })

  it('and subscribing again within one tick sends no frame', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { linger: 0 })
    const first = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(first.values()).toHaveLength(1))
    first.subscription.unsubscribe()
    const second = collectEvents(client.price$(ethTopic))
    await heardUpTo(service.connections[0]!, client)
    expect(service.connections[0]!.receivedMessages.slice(0, -1)).toEqual([`subscribe ${ethTopic}`])
    expect(second.values()).toMatchObject([{ price: 1, epoch: 1 }])
  })

  it.each([0, 60_000])(
    'by switchMap from one topic to another and back leaves the last topic active: linger %i',
    async (linger) => {
      const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
      const client = createPriceClient(service.url, { linger })
      const wanted$ = new BehaviorSubject<Topic>(ethTopic)
      const seen = collectEvents(wanted$.pipe(switchMap((topic) => client.price$(topic))))
      await eventually(() => expect(seen.values().at(-1)?.topic).toBe(ethTopic))
      wanted$.next(btcTopic)
      await eventually(() => expect(seen.values().at(-1)?.topic).toBe(btcTopic))
      wanted$.next(ethTopic)
      await eventually(() => expect(seen.values().at(-1)?.topic).toBe(ethTopic))
      wanted$.next(btcTopic)
      wanted$.next(ethTopic)
      await heardUpTo(service.connections[0]!, client)
      const active = activeTopics(service.connections[0]!).filter((topic) => topic !== 'svc-0xfff1')
      expect(active).toEqual(linger === 0 ? [ethTopic] : [btcTopic, ethTopic])
      expect(service.connections[0]!.receivedMessages.length).toBe(linger === 0 ? 6 : 3)
      expect(new Set(seen.tags())).toEqual(new Set(['Right']))
      expect(service.dialTimes.length).toBe(1)
    },
  )
})

describe('topics that differ only in case', () => {
  it('share one subscribe, and each subscriber receives its own spelling in prices and errors', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { staleAfter: 100 })
    const spellings: readonly Topic[] = ['svc-0xabcd', 'svc-0xABCD', 'svc-0xaBcD']
    const prices = spellings.map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => {
      for (const each of prices) expect(each.tags()).toEqual(['Right', 'Stale'])
    })
    for (const [index, { events }] of prices.entries()) {
      const topic = spellings[index]
      expect(events).toMatchObject([{ right: { topic } }, { left: { topic, last: { topic } } }])
    }
    prices[0]!.subscription.unsubscribe()
    prices[1]!.subscription.unsubscribe()
    service.connections[0]!.sendPrice('svc-0xAbCd-0xaf88', 9)
    await eventually(() =>
      expect(prices[2]!.values().at(-1)).toMatchObject({ topic: spellings[2], price: 9 }),
    )
    expect(service.connections[0]!.receivedMessages).toEqual(['subscribe svc-0xabcd'])
  })
})

describe('maxTopicsPerConnection', () => {
  const options = { maxTopicsPerConnection: 3, linger: 0 }

  const startMany = async (count: number) => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, options)
    const wanted = createTopics(count)
    const prices = new Map(wanted.map((topic) => [topic, collectEvents(client.price$(topic))]))
    await eventually(() => {
      for (const each of prices.values()) expect(each.values().length).toBeGreaterThan(0)
    })
    return { service, client, wanted, prices }
  }

  it('distributes topics over connections, each topic on one', async () => {
    const { service, wanted } = await startMany(10)
    expect(
      openLines(service)
        .map((connection) => activeTopics(connection).length)
        .sort(),
    ).toEqual([1, 3, 3, 3])
    expect(activeAt(service)).toEqual([...wanted].sort())
  })

  it('adds a late subscriber to the connection that has the topic', async () => {
    const { service, client, wanted, prices } = await startMany(6)
    const [first, last] = [wanted[0]!, wanted[5]!]
    prices.get(first)!.subscription.unsubscribe()
    await eventually(() => expect(activeAt(service)).not.toContain(first))
    const late = collectEvents(client.price$(last))
    await heardUpTo(service.connections[0]!, client)
    expect(late.values()).toHaveLength(1)
    expect(activeAt(service).filter((topic) => topic === last)).toEqual([last])
  })

  it('reports a disconnect only to the topics of that connection', async () => {
    const { service, prices } = await startMany(9)
    const [hit, ...spared] = openLines(service)
    const fallen = activeTopics(hit!) as readonly Topic[]
    hit!.tcpSocket.resetAndDestroy()
    await eventually(() => {
      for (const topic of fallen)
        expect(prices.get(topic)!.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    })
    for (const connection of spared)
      for (const topic of activeTopics(connection))
        expect(prices.get(topic as Topic)!.tags()).toEqual(['Right'])
    expect(service.dialTimes.length).toBe(4)
  })

  it('keeps the wanted topics subscribed through random drops, subscribes and unsubscribes', async () => {
    const { service, client, wanted, prices } = await startMany(20)
    const random = seededRandom(String(7))
    const someOf = <A>(all: readonly A[]): A => all[Math.floor(random() * all.length)]!
    for (let round = 0; round < 60; round++) {
      const topic = someOf(wanted)
      const { subscription } = prices.get(topic)!
      if (subscription.closed) prices.set(topic, collectEvents(client.price$(topic)))
      else if (random() < 0.6) subscription.unsubscribe()
      const connections = openLines(service)
      if (random() < 0.5 && connections.length > 0) someOf(connections).tcpSocket.resetAndDestroy()
      if (random() < 0.7) await nextTurn()
    }
    const all = [...prices].filter(([, { subscription }]) => !subscription.closed)
    const last = service.connections.length + 1000
    await eventually(() => expect(activeAt(service)).toEqual(all.map(([topic]) => topic).sort()))
    await eventually(() => {
      for (const connection of openLines(service))
        for (const topic of activeTopics(connection)) connection.sendPrice(topic, last)
      for (const [, each] of all) expect(each.values().at(-1)?.price).toBe(last)
    })
    for (const connection of service.connections)
      expect(activeTopics(connection).length).toBeLessThanOrEqual(3)
    for (const each of prices.values()) expect(each.isComplete()).toBe(false)
  })
})
