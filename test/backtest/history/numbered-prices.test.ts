import { join } from 'node:path'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { createClient, type PriceClient } from 'svc-streams'
import type { Gateway } from 'svc-streams/gateway'
import { openHistory } from 'svc-streams/history'
import { candles, withPast, type PastStream } from 'svc-streams/operators'
import { record } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { collectConfirmedTopics } from '../../support/confirmed-topics.js'
import { startDistantLink } from '../../support/network/distant-link.js'
import { createPriceClient, startScriptedService } from '../../support/network/scripted-service.js'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { pricesOf, type Joined } from './support/joined.js'
import { joinOften, lastPrice, startService, type NumberedService } from './support/numbered-service.js'

// Prices that come one at a time, with pauses in which the last one of the past is the current one. Each consumer joins at
// another time of a pause.

const consumerOf = (url: string): PriceClient =>
  closeAfterTest(
    createClient({ environment: 'mainnet', priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') }),
  )

const collectJoined = (client: PriceClient, past$: PastStream) => {
  const { events } = collectEvents(client.price$(ethTopic).pipe(withPast(past$, patient)))
  return events
}

/** On a busy machine, reading the past may take longer than the default of 5 s, after which the rest of it is dropped. */
const patient = { pastTimeout: 60_000 }

/**
 * Expects each price once, in order. On a busy machine, prices may be missing where a Left is, and up to `dropped` others: the
 * number that gateways did not send because the consumers were behind.
 */
const expectEachOnce = (events: readonly Joined[], sent: readonly number[], dropped = 0): void => {
  const ends = [...events.keys(), events.length].filter((index) => {
    const event = events[index]
    return event === undefined || isLeft(event)
  })
  let next = 0
  for (const [index, end] of ends.entries()) {
    const part = pricesOf(events.slice(ends[index - 1] ?? 0, end))
    // After an outage, the last price comes again as the current one.
    const starts = index === 0 ? [0] : [...sent.keys()].slice(Math.max(0, next - 1))
    const start = starts.find((each) => skippedFrom(each, part, sent) <= dropped)
    if (start === undefined) return expect(pricesOf(events)).toEqual(sent)
    next = start + part.length
  }
}

const droppedBy = (...gateways: readonly Gateway[]): number =>
  gateways.reduce((sum, gateway) => sum + gateway.inspect().droppedPrices, 0)

/** The number of prices that a part leaves out from an index on; `Infinity` if it has other prices. */
const skippedFrom = (start: number, part: readonly number[], sent: readonly number[]): number => {
  let next = start
  for (const price of part) {
    const at = sent.indexOf(price, next)
    if (at < 0) return Infinity
    next = at + 1
  }
  return next - start - part.length
}

const startRecorded = async (service: NumberedService) => {
  const client = createPriceClient(service.url)
  const history = { folder: newFolder(), topics: [ethTopic] }
  const gateway = await startTestGateway(client, { history })
  return { client, gateway, history }
}

describe.each([
  ['no delay', 0],
  ['a delay of 30 ms', 30],
])('consumers of a recording gateway over a link with %s', (_, delay) => {
  it.each([
    ['distinct', (n: number) => n],
    ['equal', () => 7],
    ['of few values', (n: number) => 1 + ((n * n) % 3)],
  ])('receive each price once, in order, past and live, if prices are %s', async (_name, priceOf) => {
    const service = await startService(priceOf)
    const { gateway } = await startRecorded(service)
    const url = await startDistantLink(gateway.baseUrl, delay)
    const joined = await joinOften(service, () =>
      collectJoined(consumerOf(url), openHistory(url).prices$(ethTopic, { from: 0 })),
    )
    for (const events of joined) {
      await eventually(() => expect(pricesOf(events).at(-1)).toBe(lastPrice))
      expectEachOnce(events, service.sent, droppedBy(gateway))
    }
  })
})

it('consumers of a gateway of a gateway receive each price once, from the history of either gateway', async () => {
  const service = await startService(() => 7)
  const { gateway } = await startRecorded(service)
  const second = await startTestGateway(consumerOf(gateway.baseUrl))
  const joined = await joinOften(service, () =>
    collectJoined(consumerOf(second.baseUrl), openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 })),
  )
  for (const events of joined) {
    await eventually(() => expect(pricesOf(events).at(-1)).toBe(lastPrice))
    expectEachOnce(events, service.sent, droppedBy(gateway, second))
  }
})

it('subscribers of a client that records itself receive each price once', async () => {
  const service = await startService(() => 7)
  const client = createPriceClient(service.url)
  const path = join(newFolder(), 'market.ndjson')
  const recorder = record(client, { topics: [ethTopic], to: path })
  const joined = await joinOften(service, () =>
    collectJoined(client, openHistory([path]).prices$(ethTopic, { from: 0 })),
  )
  for (const events of joined) {
    await eventually(() => expect(pricesOf(events).at(-1)).toBe(lastPrice))
    expectEachOnce(events, service.sent)
  }
  await recorder.stop()
})

it('candles over the seam count each price once', async () => {
  const service = await startService((n) => n)
  const { gateway } = await startRecorded(service)
  const joined = await joinOften(service, () => {
    const past$ = openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 })
    return collectEvents(
      consumerOf(gateway.baseUrl)
        .price$(ethTopic)
        .pipe(candles(40, { past$, ...patient })),
    ).events
  })
  for (const events of joined) {
    await eventually(() => expect(events.filter(isRight).at(-1)?.right.close).toBe(lastPrice))
    const all = events.filter(isRight).map(({ right }) => right)
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(service.sent.length)
    expect(all.flatMap(({ open, count }) => service.sent.slice(open - 1, open - 1 + count))).toEqual(
      service.sent.slice(0, -1).concat(all.at(-1)?.open === lastPrice ? [] : [lastPrice]),
    )
  }
})

it('consumers receive no price twice if the gateway restarts while they join', async () => {
  const service = await startService((n) => n)
  const { client, gateway, history } = await startRecorded(service)
  const { port } = new URL(gateway.baseUrl)
  let running = Promise.resolve(gateway)
  const joined = await joinOften(service, (index) => {
    const past$ = openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 })
    const events = collectJoined(consumerOf(gateway.baseUrl), past$)
    if (index % 3 === 0)
      running = running.then(async (each) => {
        await each.close()
        return startTestGateway(client, { port: Number(port), history })
      })
    return events
  })
  await running
  for (const events of joined) {
    await eventually(() => expect(pricesOf(events).at(-1)).toBe(lastPrice))
    // After an outage, the last price comes again as the current one.
    const outage = events.findIndex((event) => isLeft(event))
    const prices = pricesOf(events.slice(0, outage < 0 ? undefined : outage))
    const rest = pricesOf(events).slice(prices.length)
    expect(prices).toEqual([...new Set(prices)].sort((x, y) => x - y))
    expect(rest).toEqual(rest.toSorted((x, y) => x - y))
    expect(rest[0] ?? lastPrice).toBeGreaterThanOrEqual(prices.at(-1) ?? 0)
  }
})

it('consumers that join a stale topic receive each equal price once', async () => {
  const service = await startScriptedService({ onSubscribe: (each, topic) => each.sendConfirmation(topic) })
  const history = { folder: newFolder(), topics: [ethTopic] }
  const gateway = await startTestGateway(createPriceClient(service.url, { staleAfter: 100 }), { history })
  const send = (price = 7): void => service.connections[0]?.sendPrice(ethTopic, price)
  await eventually(() => expect(service.connections[0]?.receivedMessages).toHaveLength(1))
  const first = createPriceClient(gateway.priceWsUrl)
  collectEvents(first.price$(ethTopic))
  send()
  send()
  await eventually(() => expect(gateway.inspect().topics).toMatchObject([{ state: 'stale' }]))
  const pings = service.connections[0]?.pingCount() ?? 0
  const confirmed = collectConfirmedTopics()
  const client = createPriceClient(gateway.priceWsUrl)
  const past$ = openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 })
  const events = collectJoined(client, past$)
  await eventually(() => expect(confirmed.size).toBe(1))
  // The second probe shows that the first one is answered: the gateway holds no price for it.
  await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(pings + 1))
  for (let count = 2; count < 5; count++) send()
  await eventually(() =>
    events.some((event) => isRight(event) && '_tag' in event.right && event.right._tag === 'CaughtUp'),
  )
  send(lastPrice)
  await eventually(() => expect(pricesOf(events).at(-1)).toBe(lastPrice))
  expect(pricesOf(events)).toEqual([7, 7, 7, 7, 7, lastPrice])
})
