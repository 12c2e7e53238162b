import { existsSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, Subscription } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import type { PastEvent } from 'svc-streams/history'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import type { GatewayHistory } from '../../../src/gateway/history/gateway-history.js'
import { maxReadings } from '../../../src/gateway/history/readings.js'
import { newFolder } from '../../support/new-folder.js'
import { skipIf } from '../../support/run/skip.js'
import { eventually } from '../../support/time/eventually.js'
import { startTestGateway } from '../support/start-test-gateway.js'
import { recordingsIn } from './support/folder.js'
import { openTestHistory } from './support/open-history.js'

const topicsOf = (count: number): readonly Topic[] =>
  Array.from({ length: count }, (_, index): Topic => `svc-0x${(0xa00 + index).toString(16)}`)

/** A client whose prices a test sends. */
const createPrices = (topics: readonly Topic[]) => {
  const prices = new Map(topics.map((topic) => [topic, new Subject<Either<PriceError, Price>>()]))
  const client = createTestClient({ prices: Object.fromEntries(prices), stamp: true })
  return { client, send: (topic: Topic, usd: number) => prices.get(topic)?.next(right(price(topic, usd))) }
}

const pricesOf = async (history: GatewayHistory, topic: Topic): Promise<readonly number[]> => {
  const events: PastEvent[] = []
  const reader = {
    emit: (event: PastEvent): unknown => events.push(event),
    closing: new Subscription(),
    flush: () => undefined,
  }
  await history.read(topic, { from: 0, to: Date.now() + 1 }, reader)
  return events.flatMap((event) => (event._tag === 'PastPrice' ? [event.price] : []))
}

const bytesIn = (folder: string): number =>
  recordingsIn(folder).reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

describe('the files of a history', () => {
  it('have at most `maxBytes` together, of which the oldest are deleted first, and the newest prices stay', async () => {
    const folder = newFolder()
    const old = join(folder, 'svc-0xb.2026-01-01T10-00-00Z.ndjson')
    writeFileSync(old, '{}\n'.repeat(2_000))
    const topics = topicsOf(3)
    const { client, send } = createPrices(topics)
    const maxBytes = 60_000
    const history = await openTestHistory(folder, { client, clock: rxClock, topics, maxBytes })
    expect(existsSync(old)).toBe(true)
    let count = 0
    const sent = new Map<Topic, number[]>(topics.map((topic) => [topic, []]))
    const sendRound = (): void => {
      for (const topic of topics) {
        send(topic, ++count)
        sent.get(topic)?.push(count)
      }
    }
    while (bytesIn(folder) < 40_000) sendRound()
    expect(existsSync(old)).toBe(true)
    for (let round = 0; round < 500; round++) {
      sendRound()
      if (round % 50 === 0) await eventually(() => expect(bytesIn(folder)).toBeLessThanOrEqual(maxBytes))
    }
    await eventually(() => expect(bytesIn(folder)).toBeLessThanOrEqual(maxBytes))
    expect(existsSync(old)).toBe(false)
    expect(bytesIn(folder)).toBeGreaterThan(maxBytes / 2)
    for (const topic of topics) {
      const past = await pricesOf(history, topic)
      expect(past.length).toBeGreaterThan(10)
      expect(past).toEqual(sent.get(topic)?.slice(-past.length))
    }
  })

  it('are deleted at the start of a gateway with a lower limit, also those that it writes to', async () => {
    const folder = newFolder()
    const topics = topicsOf(2)
    const { client, send } = createPrices(topics)
    const first = await openTestHistory(folder, { client, clock: rxClock, topics })
    for (let usd = 1; usd < 100; usd++) for (const topic of topics) send(topic, usd)
    first.recorder.close()
    const second = await openTestHistory(folder, { client, clock: rxClock, topics, maxBytes: 1 })
    await eventually(() => expect(recordingsIn(folder)).toEqual([]))
    for (let usd = 1; usd < 10; usd++) for (const topic of topics) send(topic, usd)
    await eventually(() => expect(recordingsIn(folder)).toEqual([]))
    expect(await pricesOf(second, topics[0]!)).toEqual([])
  })

  const descriptors = '/proc/self/fd'

  it(
    'that are open are at most 64, for any number of topics and readings',
    skipIf(!existsSync(descriptors), 'the system lists no open files'),
    async () => {
      const folder = newFolder()
      const topics = topicsOf(100)
      const { client, send } = createPrices(topics)
      const gateway = await startTestGateway(client, { history: { folder, topics } })
      const openFiles = (): number =>
        readdirSync(descriptors).filter((name) => {
          try {
            return readlinkSync(join(descriptors, name)).startsWith(folder)
          } catch {
            // It is closed again.
            return false
          }
        }).length
      for (let usd = 1; usd <= 3; usd++) for (const topic of topics) send(topic, usd)
      expect(recordingsIn(folder)).toHaveLength(topics.length)
      const { host, port } = new URL(gateway.baseUrl)
      for (let usd = 0; usd < 20_000; usd++) send(topics[0]!, 1 + usd)
      for (let count = 0; count < 2 * maxReadings; count++) {
        const socket = connect(Number(port), '127.0.0.1').pause()
        socket.on('error', () => undefined)
        onTestFinished(() => void socket.destroy())
        socket.write(`GET /history/${topics[0]}?from=0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      }
      let most = 0
      await eventually(() => {
        for (const topic of topics) send(topic, 5)
        most = Math.max(most, openFiles())
        return most >= maxReadings
      })
      expect(most).toBeLessThanOrEqual(64)
      for (const topic of topics.slice(1, 10)) {
        const text = await (await fetch(`${gateway.baseUrl}/history/${topic}?from=0`)).text()
        expect(text.match(/"price":[^,]*/g)?.slice(0, 4)).toEqual([
          '"price":1',
          '"price":2',
          '"price":3',
          '"price":5',
        ])
      }
    },
  )
})
