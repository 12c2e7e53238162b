import { interval, mergeMap } from 'rxjs'
import { createClient, type ClientOptions, type PriceClient, type Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { collectConfirmedTopics } from '../../support/confirmed-topics.js'
import { startScriptedService, type ServiceConnection } from '../../support/network/scripted-service.js'
import { eventually } from '../../support/time/eventually.js'

const topicOf = (index: number): Topic => `svc-0x${(index + 0x1000).toString(16)}`

const createClientFor = (url: string, options: Partial<ClientOptions> = {}): PriceClient =>
  closeAfterTest(
    createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl: url, ...options }),
  )

describe('after an error text that names no topic', () => {
  it('requests each timed-out topic again, although new topics are requested all the time', async () => {
    let isHealthy = false
    const { url } = await startScriptedService({
      onOpen: (connection) => connection.send('Error: internal server error'),
      onSubscribe: (connection, topic) => {
        // New topics stay unanswered, so that a subscribe frame is always pending.
        if (isHealthy && Number.parseInt(topic.slice(6), 16) < 0x1100) connection.sendConfirmation(topic)
      },
    })
    const client = createClientFor(url, { confirmTimeout: 200 })
    const confirmed = collectConfirmedTopics()
    const wanted = [0, 1, 2, 3, 4].map(topicOf)
    const streams = wanted.map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => expect(streams.every(({ tags }) => tags().length > 0)).toBe(true))
    isHealthy = true
    let next = 0x200
    const adding = interval(40)
      .pipe(mergeMap(() => client.price$(topicOf(next++))))
      .subscribe()
    onTestFinished(() => adding.unsubscribe())
    await eventually(() => expect([...confirmed]).toEqual(expect.arrayContaining(wanted)))
  })

  it('requests twenty topics again while twenty others get no answer', async () => {
    const answered = Array.from({ length: 20 }, (_, index) => topicOf(index + 0x20))
    let isHealthy = false
    const { url } = await startScriptedService({
      onOpen: (connection) => connection.send('Error: internal server error'),
      onSubscribe: (connection, topic) => {
        if (isHealthy && answered.includes(topic as Topic)) connection.sendConfirmation(topic)
      },
    })
    const options = { confirmTimeout: 100 }
    const confirmed = collectConfirmedTopics()
    // Its timeouts count the time in units of `confirmTimeout`.
    const clock = collectEvents(createClientFor(url, options).price$(topicOf(0x100)))
    const client = createClientFor(url, options)
    const unanswered = Array.from({ length: 20 }, (_, index) => topicOf(index))
    const streams = [...unanswered, ...answered].map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => expect(streams.every(({ tags }) => tags().length > 0)).toBe(true))
    isHealthy = true
    const timeoutsBefore = clock.tags().length
    await eventually(() => expect([...confirmed].toSorted()).toEqual(answered))
    expect(clock.tags().length - timeoutsBefore).toBeLessThan(6)
  })

  it('unsubscribes a topic without subscribers while other topics time out', async () => {
    const { url, connections } = await startScriptedService({
      onOpen: (connection) => connection.send('Error: internal server error'),
    })
    const client = createClientFor(url, { confirmTimeout: 100, linger: 20 })
    const kept = collectEvents(client.price$(topicOf(0)))
    const others = [1, 2, 3].map((index) => collectEvents(client.price$(topicOf(index))))
    await eventually(() => expect(kept.tags()).toContain('SubscriptionTimeout'))
    for (const { subscription } of others) subscription.unsubscribe()
    await eventually(() => {
      expect(client.inspect().topics.map(({ topic }) => topic)).toEqual([topicOf(0)])
      for (const index of [1, 2, 3])
        expect(connections[0]?.receivedMessages).toContain(`unsubscribe ${topicOf(index)}`)
    })
  })
})

it('unsubscribes a topic that the service confirms after it was rejected', async () => {
  let connection: ServiceConnection | undefined
  const { url } = await startScriptedService({
    onOpen: (opened) => {
      connection = opened
    },
    onSubscribe: (opened, topic) => {
      if (topic === topicOf(0)) opened.send('Error: internal server error')
      else opened.sendConfirmation(topic)
    },
  })
  const client = createClientFor(url, { confirmTimeout: 100 })
  const rejected = collectEvents(client.price$(topicOf(0)))
  const kept = collectEvents(client.price$(topicOf(1)))
  await eventually(() => expect(rejected.isComplete()).toBe(true))
  connection?.sendConfirmation(`${topicOf(0)}-0xdef`, topicOf(1))
  await eventually(() => expect(connection?.receivedMessages).toContain(`unsubscribe ${topicOf(0)}`))
  expect(kept.isComplete()).toBe(false)
})

it('unsubscribes a topic again when the service still sends its prices', async () => {
  let connection: ServiceConnection | undefined
  const { url } = await startScriptedService({
    onSubscribe: (opened, topic) => {
      connection = opened
      opened.sendConfirmation(topic)
    },
  })
  const client = createClientFor(url, { confirmTimeout: 50, linger: 0 })
  const confirmed = collectConfirmedTopics()
  const left = collectEvents(client.price$(topicOf(0)))
  collectEvents(client.price$(topicOf(1)))
  await eventually(() => expect(confirmed.size).toBe(2))
  left.subscription.unsubscribe()
  // The service ignores the first unsubscribe frame.
  await eventually(() => {
    connection?.sendPrice(topicOf(0), 1)
    const unsubscribes = connection?.receivedMessages.filter((text) => text === `unsubscribe ${topicOf(0)}`)
    expect(unsubscribes?.length).toBeGreaterThan(1)
  })
})

it('spreads topics over connections before a confirmation of all of them exceeds maxFrameBytes', async () => {
  const topics = Array.from({ length: 500 }, (_, index) => topicOf(index))
  const maxFrameBytes = JSON.stringify({ subscriptions: topics.slice(0, 300) }).length
  const confirmed = new Map<ServiceConnection, string[]>()
  const { url, connections } = await startScriptedService({
    onSubscribe: (connection, topic) => {
      const listed = [...(confirmed.get(connection) ?? []), topic]
      confirmed.set(connection, listed)
      connection.sendConfirmation(...listed)
    },
  })
  const client = createClientFor(url, { maxFrameBytes })
  const confirmedTopics = collectConfirmedTopics()
  for (const topic of topics) client.price$(topic).subscribe(() => undefined)
  await eventually(() => expect(confirmedTopics.size).toBe(500))
  expect(connections.length).toBeGreaterThan(1)
  expect(connections.every(({ isOpen }) => isOpen())).toBe(true)
})
