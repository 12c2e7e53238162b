import { connect, type Socket } from 'node:net'
import { right } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { GatewayHistory, PastReader } from '../../../src/gateway/history/gateway-history.js'
import { historyResponses } from '../../../src/gateway/history/history-responses.js'
import { longestHold, maxReadings } from '../../../src/gateway/history/readings.js'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { startHttpServer } from '../../support/network/servers.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'

/** Serves a history whose readings are `read`. The path of a request names the group of its consumer: `svc-0xab`. */
const serve = async (read: (topic: Topic, reader: PastReader) => Promise<void>) => {
  let elapsed = 0
  const history = {
    read: async (topic, _range, reader) => {
      await read(topic, reader)
      return right(undefined)
    },
  } satisfies Partial<GatewayHistory>
  const clock = { ...rxClock, elapsed: () => elapsed }
  const respond = historyResponses(history as never, { service: 'svc', clock })
  const url = await startHttpServer((request, response) =>
    respond(request, response, { consumer: request.socket, group: request.url?.split('?')[0] ?? '' }),
  )
  return { url, pass: (ms: number) => (elapsed += ms) }
}

/** Requests the history over a connection of its own. */
const request = (url: string, topic: string): Socket => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(`GET /history/${topic}?from=0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  return socket
}

describe('the readings of a history', () => {
  it('read one chunk in each turn of the event loop, and take turns by address and then by connection', async () => {
    let turn = 0
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const count = (): void => {
      turn++
      if (!isOver) setImmediate(count)
    }
    const chunks: { readonly topic: Topic; readonly turn: number }[] = []
    let readers = 0
    const { url } = await serve(async (topic, { flush, closing }) => {
      readers++
      while (!closing.closed) {
        chunks.push({ topic, turn })
        await flush()
      }
    })
    const sockets = [...Array<string>(20).fill('svc-0xbb'), 'svc-0xaa'].map((topic) => request(url, topic))
    await eventually(() => readers === 21)
    count()
    chunks.length = 0
    while (chunks.length < 400) await nextTurn()
    for (const socket of sockets) socket.destroy()
    expect(new Set(chunks.map((chunk) => chunk.turn)).size).toBe(chunks.length)
    const quiet = chunks.filter(({ topic }) => topic === 'svc-0xaa')
    expect(quiet.length).toBeGreaterThan(chunks.length / 2 - 3)
  })

  it('end for others if their consumers do not read: at once for another address, after 1 s for the same one', async () => {
    const event = { _tag: 'PastPrice', topic: `svc-0x${'a'.repeat(2 ** 16)}`, price: 1, at: 1 } as const
    const written: { count: number }[] = []
    let ended = 0
    const { url, pass } = await serve(async (topic, { emit, flush, closing }) => {
      if (topic === 'svc-0xcc') return
      const reading = { count: 0 }
      written.push(reading)
      for (; !closing.closed && reading.count < 1000; reading.count++) {
        emit(event)
        await flush()
      }
      ended++
    })
    const stalled = Array.from({ length: maxReadings }, () => request(url, 'svc-0xbb').pause())
    let before = -1
    const total = (): number => written.reduce((sum, { count }) => sum + count, 0)
    await eventually(async () => {
      before = total()
      for (let turn = 0; turn < 200; turn++) await nextTurn()
      return written.length === maxReadings && total() === before
    })
    const statusOf = async (topic: string): Promise<number> =>
      (await fetch(`${url}/history/${topic}?from=0`)).status
    expect(await statusOf('svc-0xbb')).toBe(503)
    expect(await statusOf('svc-0xcc')).toBe(200)
    const open = request(url, 'svc-0xbb').pause()
    await eventually(() => written.length === maxReadings + 1)
    expect(await statusOf('svc-0xbb')).toBe(503)
    pass(longestHold)
    for (let consumer = 1; consumer <= 5; consumer++) {
      const next = request(url, 'svc-0xbb').pause()
      await eventually(() => written.length === maxReadings + 1 + consumer)
      expect(next.destroyed).toBe(false)
    }
    await eventually(() => ended === 6)
    for (const socket of [...stalled, open]) socket.destroy()
  })
})
