import { interval, Subscription } from 'rxjs'
import type { Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { disconnectedErrors } from '../../promises/support/collected-prices.js'
import { collectEvents } from '../../support/collect-events.js'
import { collectConfirmedTopics } from '../../support/confirmed-topics.js'
import {
  activeTopics,
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
  type ScriptedService,
} from '../../support/network/scripted-service.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'

/** A long topic, so that fewer frames fill the buffers of the operating system. */
const topicOf = (index: number): Topic => `svc-0x${index.toString(16).padStart(1000, '0')}`

/** A service that stops reading its first connection at once and goes on to send pings. */
const startServiceThatStopsReading = (): Promise<ScriptedService> =>
  startScriptedService({
    onOpen: (connection) => {
      if (connection.id > 1) return
      connection.tcpSocket.pause()
      const pings = interval(20).subscribe(connection.sendPing)
      onTestFinished(() => pings.unsubscribe())
    },
    onSubscribe: confirmAndSendPrice,
  })

/** Measures the unsent bytes of all sockets at each send. */
const measureUnsentBytes = (): { readonly max: () => number; readonly total: () => number } => {
  let max = 0
  let total = 0
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its socket
  const original = WebSocket.prototype.send as (this: WebSocket, frame: string) => void
  const spy = vi.spyOn(WebSocket.prototype, 'send').mockImplementation(function (this: WebSocket, frame) {
    original.call(this, frame as string)
    total += (frame as string).length
    max = Math.max(max, this.bufferedAmount)
  })
  onTestFinished(() => spy.mockRestore())
  return { max: () => max, total: () => total }
}

describe('a service that stops reading', () => {
  it('has its socket replaced, and bounded bytes wait, however many topics come and go', async () => {
    const unsentBytes = measureUnsentBytes()
    const service = await startServiceThatStopsReading()
    const client = createPriceClient(service.url, { linger: 0, pongTimeout: 400, confirmTimeout: 60_000 })
    const kept = collectEvents(client.price$(topicOf(0)))
    await eventually(() => expect(client.inspect().status._tag).toBe('Open'))
    let next = 1
    while (next < 10_000) {
      const round = new Subscription()
      for (let count = 0; count < 200; count++) round.add(client.price$(topicOf(next++)).subscribe())
      await nextTurn()
      round.unsubscribe()
    }
    const wanted = [topicOf(0), topicOf(next++), topicOf(next++)]
    const others = wanted.slice(1).map((topic) => collectEvents(client.price$(topic)))
    await eventually(() => {
      expect(kept.values().at(-1)).toMatchObject({ price: 2, epoch: 2 })
      for (const { values } of others) expect(values()).toMatchObject([{ epoch: 2 }])
    })
    expect(disconnectedErrors(kept)).toMatchObject([
      { code: 1006, reason: 'the socket did not drain within 400 ms' },
    ])
    // The operating system took more than any bound of the client.
    expect(unsentBytes.total()).toBeGreaterThan(1_000_000)
    expect(unsentBytes.max()).toBeLessThan(400_000)
    expect(service.connections).toHaveLength(2)
    await eventually(() => expect(activeTopics(service.connections[1]!)).toEqual(wanted.toSorted()))
  })
})

it('keeps the socket of a service that reads slowly and answers what it reads', async () => {
  // The operating system accepts bytes in steps of megabytes, so no byte is written for longer than pongTimeout.
  let readBytes = 0
  const service = await startScriptedService({
    onOpen: ({ tcpSocket }) => {
      tcpSocket.on('data', (bytes: Buffer) => {
        readBytes += bytes.length
        tcpSocket.pause()
      })
      const reads = interval(20).subscribe(() => tcpSocket.resume())
      onTestFinished(() => reads.unsubscribe())
    },
    onSubscribe: (connection, topic) => connection.sendConfirmation(topic),
  })
  const topics = Array.from({ length: 8000 }, (_, index) => topicOf(index))
  const client = createPriceClient(service.url, {
    ...{ pongTimeout: 300, confirmTimeout: 60_000, staleAfter: 60_000, maxFrameBytes: 100_000_000 },
    // The answers to pings wait behind the frames that the service has not read.
    maxLag: Infinity,
  })
  const confirmed = collectConfirmedTopics()
  const kept = topics.map((topic) => collectEvents(client.price$(topic)))
  await eventually(() => service.connections[0]?.receivedMessages.length === topics.length)
  // Not an assertion, whose message would show thousands of topics after each poll.
  await eventually(() => confirmed.size === topics.length)
  expect(client.inspect().topics).toHaveLength(topics.length)
  expect(readBytes).toBeGreaterThan(8_000_000)
  expect(new Set(kept.flatMap(({ tags }) => tags()))).toEqual(new Set())
  expect(service.connections).toHaveLength(1)
})
