import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { blockEventLoop, nextTurn } from '../support/time/event-loop.js'
import { btcTopic, ethTopic } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import {
  createPriceClient,
  startScriptedService,
  confirmAndSendPrice,
  type ServiceConnection,
} from '../support/network/scripted-service.js'
import {
  disconnectedErrors,
  staleErrors,
  createTopics,
  type CollectedPrices,
} from './support/collected-prices.js'
import { seededRandom } from '../../src/simulator/market/seeded-random.js'

// The client never delivers an old price as a current one.

const every = (ms: number, act: () => void): void => {
  const timer = setInterval(act, ms)
  onTestFinished(() => clearInterval(timer))
}

const confirmOnly = (connection: ServiceConnection, topic: string): void => connection.sendConfirmation(topic)

/** Prices on the first connection; later connections only confirm. */
const pricesOnce = (connection: ServiceConnection, topic: string): void =>
  connection.id === 1 ? confirmAndSendPrice(connection, topic) : confirmOnly(connection, topic)

describe('after a disconnect', () => {
  it('a subscriber before the first new price receives the failure, although the connection is open', async () => {
    const service = await startScriptedService({ onSubscribe: pricesOnce })
    const client = createPriceClient(service.url)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() =>
      expect(client.inspect()).toMatchObject({
        status: { _tag: 'Open', epoch: 2 },
        topics: [{ state: 'waiting', lastPriceAgeMs: null }],
      }),
    )
    const late = collectEvents(client.price$(ethTopic))
    expect(late.tags()).toEqual(['Disconnected'])
    service.connections[1]!.sendPrice(ethTopic, 2)
    await eventually(() => expect(late.values()).toMatchObject([{ price: 2, epoch: 2 }]))
    expect(late.tags()).toEqual(['Disconnected', 'Right'])
  })

  it('a subscriber during the next dial receives Disconnected', async () => {
    const service = await startScriptedService({
      onSubscribe: confirmAndSendPrice,
      onUpgrade: (dial) => dial > 1,
    })
    const client = createPriceClient(service.url)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(service.dialTimes).toHaveLength(2))
    expect(client.inspect().status._tag).toBe('Connecting')
    expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(['Disconnected'])
    // So does the subscriber of a new topic.
    expect(collectEvents(client.price$(btcTopic)).tags()).toEqual(['Disconnected'])
  })

  it('a subscriber that joins inside a status or error handler receives no earlier price', async () => {
    const service = await startScriptedService({ onSubscribe: pricesOnce })
    const client = createPriceClient(service.url)
    const joined: { readonly during: string; readonly prices: CollectedPrices }[] = []
    const join = (during: string) => joined.push({ during, prices: collectEvents(client.price$(ethTopic)) })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    client.status$.subscribe(({ _tag }) => join(_tag))
    client.price$(ethTopic).subscribe((event) => isLeft(event) && join(event.left._tag))
    const before = joined.length
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(joined.slice(before).at(-1)?.during).toBe('Open'))
    const after = joined.slice(before)
    expect(after.map(({ during }) => during)).toEqual(['Waiting', 'Disconnected', 'Connecting', 'Open'])
    expect(after.map(({ prices }) => prices.tags())).toEqual([
      ['Disconnected'],
      ['Disconnected'],
      ['Disconnected'],
      ['Disconnected'],
    ])
    await eventually(() => expect(service.connections[1]?.receivedMessages).toHaveLength(1))
    service.connections[1]!.sendPrice(ethTopic, 2)
    await eventually(() => {
      for (const { prices } of after) expect(prices.values()).toMatchObject([{ price: 2, epoch: 2 }])
    })
  })

  it('a price after the close frame in the same packet is not delivered', async () => {
    const behind = Buffer.from(JSON.stringify({ topic: ethTopic, price: 666 }))
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        const closeFrame = Buffer.of(0x88, 2, 3, 0xf4, 0x81, behind.length)
        if (connection.id === 1) connection.tcpSocket.end(Buffer.concat([closeFrame, behind]))
      },
    })
    const eth = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(2))
    expect(eth.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    expect(eth.values().map(({ price }) => price)).toEqual([1, 2])
  })

  it('a stale topic is no longer stale, and its last price is dropped', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => connection.id === 1 && confirmAndSendPrice(connection, topic),
    })
    const client = createPriceClient(service.url, { staleAfter: 60 })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    service.connections[0]!.tcpSocket.destroy()
    await eventually(() => expect(service.connections[1]?.receivedMessages).toHaveLength(1))
    expect(client.inspect().topics).toMatchObject([{ state: 'waiting', lastPriceAgeMs: null }])
    expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(['Disconnected'])
    service.connections[1]!.sendConfirmation(ethTopic)
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale', 'Disconnected', 'Stale']))
    expect(staleErrors(eth).map(({ last }) => last?.price)).toEqual([1, undefined])
  })

  it('no subscriber receives a price of an earlier connection, over many random disconnects', async () => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        every(1, () => connection.sendPrice(topic, connection.id))
      },
    })
    const client = createPriceClient(service.url)
    const random = seededRandom(String(3))
    const [topic, other] = createTopics(2) as [Topic, Topic]
    let epoch = 0
    let isUp = false
    client.status$.subscribe((status) => {
      isUp = status._tag === 'Open'
      if (status._tag === 'Open') ({ epoch } = status)
    })
    const joined: { least: number; isUp: boolean; readonly prices: CollectedPrices }[] = []
    const join = () =>
      joined.push({ least: isUp ? epoch : epoch + 1, isUp, prices: collectEvents(client.price$(topic)) })
    collectEvents(client.price$(other))
    join()
    for (let drops = 1; drops <= 20; drops++) {
      await eventually(() => expect(joined[0]!.prices.values().at(-1)?.epoch).toBe(drops))
      if (random() < 0.5) service.connections[drops - 1]!.tcpSocket.resetAndDestroy()
      else service.connections[drops - 1]!.tcpSocket.end(Buffer.of(0x88, 2, 3, 0xe8))
      // Joins before and after the client notices the disconnect.
      for (let times = 0; times < 6; times++) {
        join()
        await nextTurn()
      }
    }
    await eventually(() => {
      for (const { prices } of joined) expect(prices.values().at(-1)?.epoch).toBe(21)
    })
    for (const each of joined) {
      // The price equals the number of its connection. After Disconnected, that connection delivers nothing more. The first event may
      // be the failure of the connection before.
      for (const [index, event] of each.prices.events.entries()) {
        if (isRight(event)) {
          expect(event.right.price).toBe(event.right.epoch)
          expect(event.right.epoch).toBeGreaterThanOrEqual(each.least)
          each.least = event.right.epoch
          each.isUp = true
        } else if (each.isUp && index > 0) {
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
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        if (topic === btcTopic) every(5, () => connection.sendPrice(topic, 9))
      },
    })
    const client = createPriceClient(service.url, { staleAfter: 300 })
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(staleErrors(eth)).toHaveLength(1))
    expect(eth.tags()).toEqual(['Right', 'Stale'])
    expect(staleErrors(eth)[0]).toMatchObject({ topic: ethTopic, last: eth.values()[0] })
    expect(staleErrors(eth)[0]!.silentForMs).toBeGreaterThanOrEqual(299)
    expect(client.inspect().topics).toMatchObject([
      { topic: ethTopic, state: 'stale' },
      { topic: btcTopic, state: 'live' },
    ])
    expect(new Set(btc.tags())).toEqual(new Set(['Right']))
    expect(disconnectedErrors(eth)).toEqual([])
  })

  it('becomes Stale without a last price when no price follows the confirmation', async () => {
    const service = await startScriptedService({ onSubscribe: confirmOnly })
    const eth = collectEvents(createPriceClient(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Stale']))
    expect(staleErrors(eth)[0]).toMatchObject({ topic: ethTopic, last: undefined })
  })

  it('emits Stale immediately to a late subscriber, with its spelling of the topic', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, timeouts)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    const topic: Topic = `svc-0x${ethTopic.slice(6).toUpperCase()}`
    const late = collectEvents(client.price$(topic))
    expect(late.tags()).toEqual(['Stale'])
    expect(staleErrors(late)[0]).toMatchObject({ topic, last: { ...eth.values()[0], topic } })
    expect(staleErrors(late)[0]!.silentForMs).toBeGreaterThanOrEqual(staleErrors(eth)[0]!.silentForMs)
    expect(eth.tags()).toEqual(['Right', 'Stale'])
  })

  it('emits Stale and no price to a subscriber that joins right after a blocked event loop', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, timeouts)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right']))
    blockEventLoop(2 * timeouts.staleAfter)
    const late = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    expect(late.tags()).toEqual(['Stale'])
  })

  it('emits Stale to a returning subscriber when it became silent without subscribers', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { ...timeouts, linger: 60_000 })
    const stays = collectEvents(client.price$(btcTopic))
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    eth.subscription.unsubscribe()
    // Both topics became silent at the same time.
    await eventually(() => expect(staleErrors(stays)).toHaveLength(1))
    await eventually(() => {
      const [, left] = client.inspect().topics
      expect(left?.lastPriceAgeMs).toBeGreaterThan(2 * timeouts.staleAfter)
    })
    expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(['Stale'])
    expect(service.connections[0]!.receivedMessages).toHaveLength(2)
  })

  it('is live again after the next price, even an equal one, and becomes Stale again', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, timeouts)
    const eth = collectEvents(client.price$(ethTopic))
    for (let times = 1; times <= 3; times++) {
      await eventually(() => expect(staleErrors(eth)).toHaveLength(times))
      service.connections[0]!.sendPrice(ethTopic, 1)
      await eventually(() => expect(eth.values()).toHaveLength(times + 1))
      expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(['Right'])
    }
    const first = ['Right', 'Stale', 'Right', 'Stale', 'Right', 'Stale', 'Right']
    expect(eth.tags().slice(0, first.length)).toEqual(first)
    expect(service.connections[0]!.receivedMessages).toHaveLength(1)
  })

  const notPrices: readonly [string, (connection: ServiceConnection) => void, readonly string[]][] = [
    ['a confirmation', (connection) => connection.sendConfirmation(ethTopic), []],
    ['a price of 0', (connection) => connection.sendPrice(ethTopic, 0), ['DecodeError']],
    [
      'a price that is a string',
      (connection) => connection.send(`{"topic":"${ethTopic}","price":"12.5"}`),
      ['DecodeError'],
    ],
    [
      'an update without a price',
      (connection) => connection.send(`{"topic":"${ethTopic}"}`),
      ['DecodeError'],
    ],
    ['half of a price update', (connection) => connection.send(`{"topic":"${ethTopic}","pri`), []],
    [
      'an error text that names it',
      (connection) => connection.send(`Error: (${ethTopic.slice(4)}) is slow`),
      [],
    ],
    ["another topic's price", (connection) => connection.sendPrice(btcTopic, 5), []],
    ["another service's price", (connection) => connection.sendPrice(ethTopic.replace('svc', 'cvs'), 5), []],
    [
      'a price update in a binary frame',
      (connection) => connection.send(Buffer.from(`{"topic":"${ethTopic}","price":5}`)),
      [],
    ],
  ]

  it.each(notPrices)('has no current price after %s', async (_what, send, errors) => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, timeouts)
    const eth = collectEvents(client.price$(ethTopic))
    const btc = collectEvents(client.price$(btcTopic))
    await eventually(() => expect(eth.tags()).toEqual(['Right', 'Stale']))
    const before = btc.values().length
    send(service.connections[0]!)
    // The price of the other topic follows on the same connection.
    service.connections[0]!.sendPrice(btcTopic, 77)
    await eventually(() => expect(btc.values().slice(before).at(-1)?.price).toBe(77))
    expect(client.inspect().topics[0]).toMatchObject({ state: 'stale' })
    const last = ['Stale', ...errors].slice(-1)
    expect(collectEvents(client.price$(ethTopic)).tags()).toEqual(last)
    expect(eth.tags()).toEqual(['Right', 'Stale', ...errors])
  })

  it.each(notPrices)('becomes Stale despite %s', async (_what, send) => {
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        if (topic === ethTopic) every(10, () => send(connection))
      },
    })
    const client = createPriceClient(service.url, timeouts)
    const eth = collectEvents(client.price$(ethTopic))
    collectEvents(client.price$(btcTopic))
    await eventually(() => expect(staleErrors(eth)).not.toHaveLength(0))
    expect(staleErrors(eth)[0]).toMatchObject({ last: { price: 1 } })
    expect(disconnectedErrors(eth)).toEqual([])
  })
})
