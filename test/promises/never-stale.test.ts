import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { block } from '../support/event-loop.js'
import { btcTopic, ethTopic, record } from '../support/simulator.js'
import { clientAt, playService, politely, type Line } from '../support/network/scripted-service.js'
import { disconnects, randomFrom, stales, topics, type Prices } from './support/prices.js'

// The client never delivers an old price as a current one.

const every = (ms: number, act: () => void): void => {
  const timer = setInterval(act, ms)
  onTestFinished(() => clearInterval(timer))
}

const confirmOnly = (line: Line, topic: string): void => line.confirm(topic)

/** Prices on the first connection; later connections only confirm. */
const pricesOnce = (line: Line, topic: string): void =>
  line.id === 1 ? politely(line, topic) : confirmOnly(line, topic)

describe('after a disconnect', () => {
  it('a subscriber before the first new price receives no price, although the connection is open', async () => {
    const service = await playService({ subscribed: pricesOnce })
    const client = clientAt(service.url)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    service.lines[0]!.wire.destroy()
    await eventually(() =>
      expect(client.inspect()).toMatchObject({
        status: { _tag: 'Open', epoch: 2 },
        topics: [{ state: 'live', lastPriceAgeMs: null }],
      }),
    )
    const late = record(client.price$(ethTopic))
    expect(late.tags()).toEqual([])
    service.lines[1]!.price(ethTopic, 2)
    await eventually(() => expect(late.rights()).toMatchObject([{ price: 2, epoch: 2 }]))
    expect(late.tags()).toEqual(['Right'])
  })

  it('a subscriber during the next dial receives Disconnected', async () => {
    const service = await playService({ subscribed: politely, upgrade: (dial) => dial > 1 })
    const client = clientAt(service.url)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(service.dials).toHaveLength(2))
    expect(client.inspect().status._tag).toBe('Connecting')
    expect(record(client.price$(ethTopic)).tags()).toEqual(['Disconnected'])
    // So does the subscriber of a new topic.
    expect(record(client.price$(btcTopic)).tags()).toEqual(['Disconnected'])
  })

  it('a subscriber that joins inside a status or error handler receives no earlier price', async () => {
    const service = await playService({ subscribed: pricesOnce })
    const client = clientAt(service.url)
    const joined: { readonly during: string; readonly prices: Prices }[] = []
    const join = (during: string) => joined.push({ during, prices: record(client.price$(ethTopic)) })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    client.status$.subscribe(({ _tag }) => join(_tag))
    client.price$(ethTopic).subscribe((event) => isLeft(event) && join(event.left._tag))
    const before = joined.length
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(joined.slice(before).at(-1)?.during).toBe('Open'))
    const after = joined.slice(before)
    expect(after.map(({ during }) => during)).toEqual(['Waiting', 'Disconnected', 'Connecting', 'Open'])
    expect(after.map(({ prices }) => prices.tags())).toEqual([
      ['Disconnected'],
      ['Disconnected'],
      ['Disconnected'],
      [],
    ])
    await eventually(() => expect(service.lines[1]?.asked).toHaveLength(1))
    service.lines[1]!.price(ethTopic, 2)
    await eventually(() => {
      for (const { prices } of after) expect(prices.rights()).toMatchObject([{ price: 2, epoch: 2 }])
    })
  })

  it('a price after the close frame in the same packet is not delivered', async () => {
    const behind = Buffer.from(JSON.stringify({ topic: ethTopic, price: 666 }))
    const service = await playService({
      subscribed: (line, topic) => {
        politely(line, topic)
        const closeFrame = Buffer.of(0x88, 2, 3, 0xf4, 0x81, behind.length)
        if (line.id === 1) line.wire.end(Buffer.concat([closeFrame, behind]))
      },
    })
    const eth = record(clientAt(service.url).price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(2))
    expect(eth.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    expect(eth.rights().map(({ price }) => price)).toEqual([1, 2])
  })

  it('a stale topic is no longer stale, and its last price is dropped', async () => {
    const service = await playService({ subscribed: (line, topic) => line.id === 1 && politely(line, topic) })
    const client = clientAt(service.url, { staleAfter: 60 })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    service.lines[0]!.wire.destroy()
    await eventually(() => expect(service.lines[1]?.asked).toHaveLength(1))
    expect(client.inspect().topics).toMatchObject([{ state: 'waiting', lastPriceAgeMs: null }])
    expect(record(client.price$(ethTopic)).tags()).toEqual([])
    service.lines[1]!.confirm(ethTopic)
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale', 'Disconnected', 'Stale']))
    expect(stales(eth).map(({ last }) => last?.price)).toEqual([1, undefined])
  })

  it('no subscriber receives a price of an earlier connection, over many random disconnects', async () => {
    const service = await playService({
      subscribed: (line, topic) => {
        politely(line, topic)
        every(1, () => line.price(topic, line.id))
      },
    })
    const client = clientAt(service.url)
    const random = randomFrom(3)
    const [topic, other] = topics(2) as [Topic, Topic]
    let epoch = 0
    let isUp = false
    client.status$.subscribe((status) => {
      isUp = status._tag === 'Open'
      if (status._tag === 'Open') ({ epoch } = status)
    })
    const joined: { least: number; isUp: boolean; readonly prices: Prices }[] = []
    const join = () =>
      joined.push({ least: isUp ? epoch : epoch + 1, isUp, prices: record(client.price$(topic)) })
    record(client.price$(other))
    join()
    for (let drops = 1; drops <= 20; drops++) {
      await eventually(() => expect(joined[0]!.prices.rights().at(-1)?.epoch).toBe(drops))
      if (random() < 0.5) service.lines[drops - 1]!.wire.resetAndDestroy()
      else service.lines[drops - 1]!.wire.end(Buffer.of(0x88, 2, 3, 0xe8))
      // Joins before and after the client notices the disconnect.
      for (let times = 0; times < 6; times++) {
        join()
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await eventually(() => {
      for (const { prices } of joined) expect(prices.rights().at(-1)?.epoch).toBe(21)
    })
    for (const each of joined) {
      // The price equals the number of its connection. After Disconnected, that connection delivers nothing more.
      for (const event of each.prices.events) {
        if (isRight(event)) {
          expect(event.right.price).toBe(event.right.epoch)
          expect(event.right.epoch).toBeGreaterThanOrEqual(each.least)
          each.least = event.right.epoch
          each.isUp = true
        } else if (each.isUp) {
          each.least += 1
          each.isUp = false
        }
      }
    }
  })
})

describe('a silent topic', () => {
  const timeouts = { staleAfter: 100 }

  it('becomes Stale with its last price, while other topics stay live', async () => {
    const service = await playService({
      subscribed: (line, topic) => {
        politely(line, topic)
        if (topic === btcTopic) every(5, () => line.price(topic, 9))
      },
    })
    const client = clientAt(service.url, { staleAfter: 300 })
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(stales(eth)).toHaveLength(1))
    expect(eth.tags()).toEqual(['Right', 'Stale'])
    expect(stales(eth)[0]).toMatchObject({ topic: ethTopic, last: eth.rights()[0] })
    expect(stales(eth)[0]!.silentForMs).toBeGreaterThanOrEqual(299)
    expect(client.inspect().topics).toMatchObject([
      { topic: ethTopic, state: 'stale' },
      { topic: btcTopic, state: 'live' },
    ])
    expect(new Set(btc.tags())).toEqual(new Set(['Right']))
    expect(disconnects(eth)).toEqual([])
  })

  it('becomes Stale without a last price when no price follows the confirmation', async () => {
    const service = await playService({ subscribed: confirmOnly })
    const eth = record(clientAt(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Stale']))
    expect(stales(eth)[0]).toMatchObject({ topic: ethTopic, last: undefined })
  })

  it('emits Stale immediately to a late subscriber, with its spelling of the topic', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, timeouts)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    const topic: Topic = `svc-0x${ethTopic.slice(6).toUpperCase()}`
    const late = record(client.price$(topic))
    expect(late.tags()).toEqual(['Stale'])
    expect(stales(late)[0]).toMatchObject({ topic, last: { ...eth.rights()[0], topic } })
    expect(stales(late)[0]!.silentForMs).toBeGreaterThanOrEqual(stales(eth)[0]!.silentForMs)
    expect(eth.tags()).toEqual(['Right', 'Stale'])
  })

  it('emits Stale and no price to a subscriber that joins right after a blocked event loop', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, timeouts)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right']))
    block(2 * timeouts.staleAfter)
    const late = record(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    expect(late.tags()).toEqual(['Stale'])
  })

  it('emits Stale to a returning subscriber when it became silent without subscribers', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, { ...timeouts, linger: 60_000 })
    const stays = record(client.price$(btcTopic))
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    eth.subscription.unsubscribe()
    // Both topics became silent at the same time.
    await eventually(() => expect(stales(stays)).toHaveLength(1))
    await eventually(() => {
      const [, left] = client.inspect().topics
      expect(left?.lastPriceAgeMs).toBeGreaterThan(2 * timeouts.staleAfter)
    })
    expect(record(client.price$(ethTopic)).tags()).toEqual(['Stale'])
    expect(service.lines[0]!.asked).toHaveLength(2)
  })

  it('is live again after the next price, even an equal one, and becomes Stale again', async () => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, timeouts)
    const eth = record(client.price$(ethTopic))
    for (let times = 1; times <= 3; times++) {
      await eventually(() => expect(stales(eth)).toHaveLength(times))
      service.lines[0]!.price(ethTopic, 1)
      await eventually(() => expect(eth.rights()).toHaveLength(times + 1))
      expect(record(client.price$(ethTopic)).tags()).toEqual(['Right'])
    }
    const first = ['Right', 'Stale', 'Right', 'Stale', 'Right', 'Stale', 'Right']
    expect(eth.tags().slice(0, first.length)).toEqual(first)
    expect(service.lines[0]!.asked).toHaveLength(1)
  })

  const notPrices: readonly [string, (line: Line) => void, readonly string[]][] = [
    ['a confirmation', (line) => line.confirm(ethTopic), []],
    ['a price of 0', (line) => line.price(ethTopic, 0), ['DecodeError']],
    [
      'a price that is a string',
      (line) => line.say(`{"topic":"${ethTopic}","price":"12.5"}`),
      ['DecodeError'],
    ],
    ['an update without a price', (line) => line.say(`{"topic":"${ethTopic}"}`), ['DecodeError']],
    ['half of a price update', (line) => line.say(`{"topic":"${ethTopic}","pri`), []],
    ['an error text that names it', (line) => line.say(`Error: (${ethTopic.slice(4)}) is slow`), []],
    ["another topic's price", (line) => line.price(btcTopic, 5), []],
    ["another service's price", (line) => line.price(ethTopic.replace('svc', 'cvs'), 5), []],
    [
      'a price update in a binary frame',
      (line) => line.say(Buffer.from(`{"topic":"${ethTopic}","price":5}`)),
      [],
    ],
  ]

  it.each(notPrices)('stays Stale after %s', async (_what, send, errors) => {
    const service = await playService({ subscribed: politely })
    const client = clientAt(service.url, timeouts)
    const eth = record(client.price$(ethTopic))
    const btc = record(client.price$(btcTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    const before = btc.rights().length
    send(service.lines[0]!)
    // The price of the other topic follows on the same connection.
    service.lines[0]!.price(btcTopic, 77)
    await eventually(() => expect(btc.rights().slice(before).at(-1)?.price).toBe(77))
    expect(client.inspect().topics[0]).toMatchObject({ state: 'stale' })
    expect(record(client.price$(ethTopic)).tags()).toEqual(['Stale'])
    expect(eth.tags()).toEqual(['Right', 'Stale', ...errors])
  })

  it.each(notPrices)('becomes Stale despite %s', async (_what, send) => {
    const service = await playService({
      subscribed: (line, topic) => {
        politely(line, topic)
        if (topic === ethTopic) every(10, () => send(line))
      },
    })
    const client = clientAt(service.url, timeouts)
    const eth = record(client.price$(ethTopic))
    record(client.price$(btcTopic))
    await eventually(() => expect(stales(eth)).toHaveLength(1))
    expect(stales(eth)[0]).toMatchObject({ last: { price: 1 } })
    expect(disconnects(eth)).toEqual([])
  })
})
