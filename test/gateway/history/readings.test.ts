import { connect, type Socket } from 'node:net'
import { right } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Topic } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { GatewayHistory, PastReader } from '../../../src/gateway/history/gateway-history.js'
import { historyResponses } from '../../../src/gateway/history/history-responses.js'
import { maxReadings } from '../../../src/gateway/history/readings.js'
import { rxClock } from '../../../src/base/time/clock.js'
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

  it('are ended by a new one, whosever they are: first the one whose consumer has read nothing for the longest time', async () => {
    const event = { _tag: 'PastPrice', topic: `svc-0x${'a'.repeat(2 ** 16)}`, price: 1, at: 1 } as const
    const written: { count: number; hasEnded: boolean }[] = []
    const { url, pass } = await serve(async (topic, { emit, flush, closing }) => {
      if (topic === 'svc-0xcc') return
      const reading = { count: 0, hasEnded: false }
      written.push(reading)
      for (; !closing.closed && reading.count < 1000; reading.count++) {
        emit(event)
        await flush()
      }
      reading.hasEnded = true
    })
    const endedOnes = (): readonly number[] =>
      written.flatMap(({ hasEnded }, index) => (hasEnded ? [index] : []))
    const stall = async (count: number): Promise<void> => {
      const before = written.length
      for (let index = 0; index < count; index++) request(url, 'svc-0xbb').pause()
      let total = -1
      await eventually(async () => {
        const last = total
        for (let turn = 0; turn < 200; turn++) await nextTurn()
        total = written.reduce((sum, each) => sum + each.count, 0)
        return written.length === before + count && total === last
      })
    }
    const statusOf = async (topic: string): Promise<number> =>
      (await fetch(`${url}/history/${topic}?from=0`)).status
    await stall(1)
    pass(1000)
    await stall(maxReadings - 1)
    pass(1000)
    expect(endedOnes()).toEqual([])
    expect(await statusOf('svc-0xcc')).toBe(200)
    await eventually(() => expect(endedOnes()).toEqual([0]))
    await stall(1)
    expect(endedOnes()).toEqual([0])
    for (let count = 0; count < 10; count++) expect(await statusOf('svc-0xcc')).toBe(200)
    expect(endedOnes()).toHaveLength(2)
  })

  it('that are all quick are ended by a new one of the address with the most of them, the youngest first', async () => {
    const waiting: { readonly topic: Topic; readonly closing: Subscription }[] = []
    const { url } = await serve(
      (topic, { closing }) =>
        new Promise((resolve) => {
          waiting.push({ topic, closing })
          closing.add(resolve)
        }),
    )
    request(url, 'svc-0xaa')
    await eventually(() => waiting.length === 1)
    for (let count = 2; count <= maxReadings + 3; count++) {
      request(url, 'svc-0xbb')
      await eventually(() => waiting.length === count)
    }
    const topics = (isEnded: boolean): readonly Topic[] =>
      waiting.filter(({ closing }) => closing.closed === isEnded).map(({ topic }) => topic)
    await eventually(() => expect(topics(true)).toEqual(['svc-0xbb', 'svc-0xbb', 'svc-0xbb']))
    expect(topics(false)[0]).toBe('svc-0xaa')
  })
})
