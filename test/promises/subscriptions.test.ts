import { BehaviorSubject, filter, firstValueFrom, switchMap } from 'rxjs'
import type { PriceClient, Topic, UncorrelatedError } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { btcTopic, ethTopic, record } from '../support/simulator.js'
import {
  activeOn,
  clientAt,
  playService,
  politely,
  type Line,
  type PlayedService,
} from '../support/network/scripted-service.js'
import { disconnects, randomFrom, topics, type Prices } from './support/prices.js'

// The subscriptions at the service depend only on the topics that have subscribers now.

const invalidTuple = 'Invalid (exchange, base, quote) tuple'

const refusalOf = (topic: Topic): string =>
  `${invalidTuple}: svc does not support the pair (${topic.slice('svc-'.length)}, 0xaf88)`

const openLines = ({ lines }: PlayedService): readonly Line[] => lines.filter(({ isOpen }) => isOpen())

/** The active topics of all connections at the service. A topic on two connections is listed twice. */
const activeAt = (service: PlayedService): readonly string[] => openLines(service).flatMap(activeOn).sort()

const errorsOf = (client: PriceClient): readonly UncorrelatedError[] => {
  const errors: UncorrelatedError[] = []
  client.errors$.subscribe((error) => errors.push(error))
  return errors
}

/** Resolves when the service has received all earlier frames, by means of a last subscribe. */
const heardUpTo = async (line: Line, client: PriceClient): Promise<void> => {
  const last: Topic = 'svc-0xfff1'
  record(client.price$(last))
  await eventually(() => expect(line.asked).toContain(`subscribe ${last}`))
}

describe('after a disconnect', () => {
  it('during resubscription, twice in a row, each wanted topic is subscribed once, and no other', async () => {
    const all = topics(1000)
    const unsubscribed = all.slice(0, 50)
    const late: readonly Topic[] = ['svc-0xfeed', 'svc-0xbeef']
    const service = await playService({
      opened: ({ id }) => {
        if (id !== 2) return
        for (const topic of unsubscribed) prices.get(topic)!.subscription.unsubscribe()
        for (const topic of late) prices.set(topic, record(client.price$(topic)))
      },
      subscribed: (line, topic) => {
        const cut = line.id === 2 || line.id === 3
        if (cut && line.asked.length === 100) line.wire.resetAndDestroy()
        else if (!cut || line.asked.length < 100) politely(line, topic)
      },
    })
    const client = clientAt(service.url, { linger: 60_000 })
    const prices = new Map(all.map((topic) => [topic, record(client.price$(topic))]))
    const havePricesOf = (line: number, wanted: readonly Topic[]) => () => {
      for (const topic of wanted) expect(prices.get(topic)?.rights().at(-1)?.price).toBe(line)
    }
    await eventually(havePricesOf(1, all))
    service.lines[0]!.wire.destroy()
    const wanted = [...all.slice(50), ...late]
    await eventually(havePricesOf(4, wanted))
    expect(activeAt(service)).toEqual([...wanted].sort())
    expect(service.lines[3]!.asked).toHaveLength(wanted.length)
    for (const line of service.lines) expect(activeOn(line)).toHaveLength(line.asked.length)
    for (const topic of wanted.slice(0, -late.length)) expect(disconnects(prices.get(topic)!)).toHaveLength(3)
  })

  it('no unsubscribe is sent on the new connection, whether the subscriber left before, on or after it', async () => {
    const [before, because, after, stays] = topics(4) as [Topic, Topic, Topic, Topic]
    const service = await playService({
      // The client has emitted Disconnected and sends its first frame after this dial.
      dialled: (dial) => {
        if (dial === 2) later.subscription.unsubscribe()
      },
      subscribed: politely,
    })
    const client = clientAt(service.url, { linger: 60_000 })
    const leaving = record(client.price$(before))
    const later = record(client.price$(after))
    const staying = record(client.price$(stays))
    const fleeing = client.price$(because).subscribe((event) => {
      if (event._tag === 'Left') fleeing.unsubscribe()
    })
    await eventually(() => expect(service.lines[0]?.asked).toHaveLength(4))
    await eventually(() => expect(staying.rights()).toHaveLength(1))
    leaving.subscription.unsubscribe()
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(staying.rights()).toHaveLength(2))
    await heardUpTo(service.lines[1]!, client)
    expect(service.lines[1]!.asked.slice(0, -1)).toEqual([`subscribe ${stays}`])
  })

  it('a topic that is unsubscribed and subscribed again while down is requested once', async () => {
    const coming: Prices[] = []
    const service = await playService({
      dialled: (dial) => {
        if (dial !== 2) return
        for (let times = 0; times < 3; times++) {
          coming.at(-1)?.subscription.unsubscribe()
          btc.subscription.unsubscribe()
          coming.push(record(client.price$(btcTopic)))
        }
      },
      subscribed: politely,
    })
    const client = clientAt(service.url, { linger: 0 })
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(btc.rights()).toHaveLength(1))
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(coming.at(-1)?.rights()).toHaveLength(1))
    expect(disconnects(btc)).toHaveLength(1)
    await eventually(() => expect(eth.rights()).toHaveLength(2))
    expect([...service.lines[1]!.asked].sort()).toEqual([`subscribe ${btcTopic}`, `subscribe ${ethTopic}`])
  })
})

describe('late frames', () => {
  it('of an abandoned connection are ignored', async () => {
    const service = await playService({ subscribed: (line, topic) => line.id === 1 && politely(line, topic) })
    const client = clientAt(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const first = record(client.price$(ethTopic))
    await eventually(() => expect(first.rights()).toHaveLength(1))
    const old = service.lines[0]!
    // The service does not read the close frame, so its side stays open.
    old.wire.pause()
    first.subscription.unsubscribe()
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    const second = record(client.price$(ethTopic))
    await eventually(() => expect(service.lines[1]?.asked).toEqual([`subscribe ${ethTopic}`]))
    old.confirm(ethTopic)
    old.price(ethTopic, 666)
    old.price(ethTopic, -1)
    old.say(refusalOf(ethTopic))
    old.say(invalidTuple)
    old.say(Buffer.of(6))
    await new Promise((resolve) => old.wire.write(Buffer.of(0x8a, 0), resolve))
    old.wire.resume()
    // Now the service has read the close frame, and the client has read all earlier frames.
    await eventually(() => expect(old.wire.destroyed).toBe(true))
    expect(client.inspect().topics).toMatchObject([{ topic: ethTopic, state: 'waiting' }])
    service.lines[1]!.price(ethTopic, 2)
    await eventually(() => expect(second.events).toHaveLength(1))
    expect(second.rights()[0]).toMatchObject({ price: 2, epoch: 2 })
    expect(errors).toEqual([])
  })

  it('without an address reject no topic that was unsubscribed and subscribed again', async () => {
    const service = await playService()
    const client = clientAt(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const first = record(client.price$(ethTopic))
    await eventually(() => expect(service.lines[0]?.asked).toHaveLength(1))
    const line = service.lines[0]!
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(line.asked).toHaveLength(2))
    line.confirm(btcTopic)
    first.subscription.unsubscribe()
    await eventually(() => expect(line.asked).toHaveLength(3))
    const second = record(client.price$(ethTopic))
    await eventually(() =>
      expect(line.asked.slice(2)).toEqual([`unsubscribe ${ethTopic}`, `subscribe ${ethTopic}`]),
    )
    line.say(invalidTuple)
    line.confirm(btcTopic)
    line.confirm(btcTopic, ethTopic)
    line.price(ethTopic, 3)
    await eventually(() => expect(second.rights()).toHaveLength(1))
    expect([...second.tags(), ...btc.tags()]).toEqual(['Right'])
    expect(errors).toMatchObject([{ kind: 'error-text', input: invalidTuple }])
  })

  it('of an unsubscribed topic are dropped without an error', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, { linger: 0 })
    const errors = errorsOf(client)
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(btc.rights()).toHaveLength(1))
    const line = service.lines[0]!
    eth.subscription.unsubscribe()
    await eventually(() => expect(line.asked).toContain(`unsubscribe ${ethTopic}`))
    line.price(ethTopic, 4)
    line.price(ethTopic, -4)
    line.confirm(ethTopic, btcTopic)
    line.confirm(btcTopic)
    line.price(btcTopic, 5)
    await eventually(() => expect(btc.rights().at(-1)?.price).toBe(5))
    expect(eth.tags()).toEqual(['Right'])
    expect(btc.tags()).toEqual(['Right', 'Right'])
    expect(errors).toEqual([])
    expect(client.inspect().topics).toMatchObject([{ topic: btcTopic }])
  })

  it('of a closed connection do not confirm a topic on the next one', async () => {
    const service = await playService({
      subscribed: (line, topic) => {
        line.confirm(topic)
        // One write: the client must ignore the price after the close frame.
        if (line.id === 1) {
          line.wire.cork()
          line.wire.write(Buffer.of(0x88, 2, 3, 0xf4))
          line.price(topic, 666)
          line.wire.uncork()
        }
      },
    })
    const eth = record(clientAt(service.url).price$(ethTopic))
    await eventually(() => expect(service.lines[1]?.asked).toHaveLength(1))
    service.lines[1]!.price(ethTopic, 2)
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    expect(eth.tags()).toEqual(['Disconnected', 'Right'])
    expect(eth.rights()[0]).toMatchObject({ price: 2, epoch: 2 })
  })
})

describe('a rejection', () => {
  it('completes the stream, and the topic is not requested again, also after a reconnect', async () => {
    const service = await playService({
      subscribed: (line, topic) => {
        if (topic === ethTopic) line.say(refusalOf(ethTopic))
        else politely(line, topic)
      },
    })
    const client = clientAt(service.url, { linger: 0 })
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(eth.isComplete()).toBe(true))
    await eventually(() => expect(btc.rights()).toHaveLength(1))
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(btc.rights()).toHaveLength(2))
    await heardUpTo(service.lines[1]!, client)
    expect(eth.tags()).toEqual(['SubscriptionRejected'])
    // No unsubscribe either: the topic was never active.
    const asked = service.lines.flatMap((line) => line.asked)
    expect(asked.filter((frame) => frame.endsWith(ethTopic))).toEqual([`subscribe ${ethTopic}`])
  })

  it('of the only topic closes the connection', async () => {
    const service = await playService({ subscribed: (line) => line.say(invalidTuple) })
    const client = clientAt(service.url)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.isComplete()).toBe(true))
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    await eventually(() => expect(openLines(service)).toEqual([]))
    expect(service.dials.length).toBe(1)
    expect(client.inspect().topics).toEqual([])
  })

  it('after the confirmation is an uncorrelated error', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url)
    const errors = errorsOf(client)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    const line = service.lines[0]!
    line.say(refusalOf(ethTopic))
    line.say(invalidTuple)
    line.price(ethTopic, 7)
    await eventually(() => expect(eth.rights().at(-1)?.price).toBe(7))
    expect(eth.tags()).toEqual(['Right', 'Right'])
    expect(errors.map(({ kind }) => kind)).toEqual(['error-text', 'error-text'])
    expect(line.asked).toEqual([`subscribe ${ethTopic}`])
  })
})

describe('subscribing and unsubscribing', () => {
  it('within one tick opens no connection and sends no frame', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, { linger: 0 })
    const comeAndGo = (): void => {
      for (let times = 0; times < 100; times++) client.price$(btcTopic).subscribe().unsubscribe()
    }
    comeAndGo()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await firstValueFrom(client.status$)).toEqual({ _tag: 'Idle' })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    comeAndGo()
    await heardUpTo(service.lines[0]!, client)
    expect(service.lines[0]!.asked.slice(0, -1)).toEqual([`subscribe ${ethTopic}`])
    expect(service.dials.length).toBe(1)
  })

  it('and subscribing again within one tick sends no frame', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, { linger: 0 })
    const first = record(client.price$(ethTopic))
    await eventually(() => expect(first.rights()).toHaveLength(1))
    first.subscription.unsubscribe()
    const second = record(client.price$(ethTopic))
    await heardUpTo(service.lines[0]!, client)
    expect(service.lines[0]!.asked.slice(0, -1)).toEqual([`subscribe ${ethTopic}`])
    expect(second.rights()).toMatchObject([{ price: 1, epoch: 1 }])
  })

  it.each([0, 60_000])(
    'by switchMap from one topic to another and back leaves the last topic active: linger %i',
    async (linger) => {
      const service = await playService({ subscribed: politely })
      const client = clientAt(service.url, { linger })
      const wanted$ = new BehaviorSubject<Topic>(ethTopic)
      const seen = record(wanted$.pipe(switchMap((topic) => client.price$(topic))))
      await eventually(() => expect(seen.rights().at(-1)?.topic).toBe(ethTopic))
      wanted$.next(btcTopic)
      await eventually(() => expect(seen.rights().at(-1)?.topic).toBe(btcTopic))
      wanted$.next(ethTopic)
      await eventually(() => expect(seen.rights().at(-1)?.topic).toBe(ethTopic))
      wanted$.next(btcTopic)
      wanted$.next(ethTopic)
      await heardUpTo(service.lines[0]!, client)
      const active = activeOn(service.lines[0]!).filter((topic) => topic !== 'svc-0xfff1')
      expect(active).toEqual(linger === 0 ? [ethTopic] : [btcTopic, ethTopic])
      expect(service.lines[0]!.asked.length).toBe(linger === 0 ? 6 : 3)
      expect(new Set(seen.tags())).toEqual(new Set(['Right']))
      expect(service.dials.length).toBe(1)
    },
  )
})

describe('topics that differ only in case', () => {
  it('share one subscribe, and each subscriber receives its own spelling in prices and errors', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, { staleAfter: 100 })
    const spellings: readonly Topic[] = ['svc-0xabcd', 'svc-0xABCD', 'svc-0xaBcD']
    const prices = spellings.map((topic) => record(client.price$(topic)))
    await eventually(() => {
      for (const each of prices) expect(each.tags()).toEqual(['Right', 'Stale'])
    })
    for (const [index, { events }] of prices.entries()) {
      const topic = spellings[index]
      expect(events).toMatchObject([{ right: { topic } }, { left: { topic, last: { topic } } }])
    }
    prices[0]!.subscription.unsubscribe()
    prices[1]!.subscription.unsubscribe()
    service.lines[0]!.price('svc-0xAbCd-0xaf88', 9)
    await eventually(() =>
      expect(prices[2]!.rights().at(-1)).toMatchObject({ topic: spellings[2], price: 9 }),
    )
    expect(service.lines[0]!.asked).toEqual(['subscribe svc-0xabcd'])
  })
})

describe('maxTopicsPerConnection', () => {
  const options = { maxTopicsPerConnection: 3, linger: 0 }

  const startMany = async (count: number) => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, options)
    const wanted = topics(count)
    const prices = new Map(wanted.map((topic) => [topic, record(client.price$(topic))]))
    await eventually(() => {
      for (const each of prices.values()) expect(each.rights().length).toBeGreaterThan(0)
    })
    return { service, client, wanted, prices }
  }

  it('distributes topics over connections, each topic on one', async () => {
    const { service, wanted } = await startMany(10)
    expect(
      openLines(service)
        .map((line) => activeOn(line).length)
        .sort(),
    ).toEqual([1, 3, 3, 3])
    expect(activeAt(service)).toEqual([...wanted].sort())
  })

  it('adds a late subscriber to the connection that has the topic', async () => {
    const { service, client, wanted, prices } = await startMany(6)
    const [first, last] = [wanted[0]!, wanted[5]!]
    prices.get(first)!.subscription.unsubscribe()
    await eventually(() => expect(activeAt(service)).not.toContain(first))
    const late = record(client.price$(last))
    await heardUpTo(service.lines[0]!, client)
    expect(late.rights()).toHaveLength(1)
    expect(activeAt(service).filter((topic) => topic === last)).toEqual([last])
  })

  it('reports a disconnect only to the topics of that connection', async () => {
    const { service, prices } = await startMany(9)
    const [hit, ...spared] = openLines(service)
    const fallen = activeOn(hit!) as readonly Topic[]
    hit!.wire.resetAndDestroy()
    await eventually(() => {
      for (const topic of fallen)
        expect(prices.get(topic)!.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    })
    for (const line of spared)
      for (const topic of activeOn(line)) expect(prices.get(topic as Topic)!.tags()).toEqual(['Right'])
    expect(service.dials.length).toBe(4)
  })

  it('keeps the wanted topics subscribed through random drops, subscribes and unsubscribes', async () => {
    const { service, client, wanted, prices } = await startMany(20)
    const random = randomFrom(7)
    const someOf = <A>(all: readonly A[]): A => all[Math.floor(random() * all.length)]!
    for (let round = 0; round < 60; round++) {
      const topic = someOf(wanted)
      const { subscription } = prices.get(topic)!
      if (subscription.closed) prices.set(topic, record(client.price$(topic)))
      else if (random() < 0.6) subscription.unsubscribe()
      const lines = openLines(service)
      if (random() < 0.5 && lines.length > 0) someOf(lines).wire.resetAndDestroy()
      if (random() < 0.7) await new Promise((resolve) => setImmediate(resolve))
    }
    const all = [...prices].filter(([, { subscription }]) => !subscription.closed)
    const last = service.lines.length + 1000
    await eventually(() => expect(activeAt(service)).toEqual(all.map(([topic]) => topic).sort()))
    await eventually(() => {
      for (const line of openLines(service)) for (const topic of activeOn(line)) line.price(topic, last)
      for (const [, each] of all) expect(each.rights().at(-1)?.price).toBe(last)
    })
    for (const line of service.lines) expect(activeOn(line).length).toBeLessThanOrEqual(3)
    for (const each of prices.values()) expect(each.isComplete()).toBe(false)
  })
})
