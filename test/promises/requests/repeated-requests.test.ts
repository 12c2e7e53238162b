import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createClient, type Address, type Client, type DiagnosticMessages } from 'svc-streams'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { startTcpServer } from '../../support/network/servers.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'

const side = { total_quantity: 1, total_quantity_usd: 1 }
const depthBody = JSON.stringify({ price: 1, timestamp: 1, buy: side, sell: side })

const respond = (socket: Socket, request: string): void => {
  const body = request.includes('/price/') ? '2.5' : depthBody
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}

interface Arrival {
  readonly request: string
  /** Number of the connection, from 1. */
  readonly connection: number
  /** Number of the request on its connection, from 1. */
  readonly number: number
}

type OnRequest = (socket: Socket, arrival: Arrival) => void

/** Starts a service that handles each request by `onRequest`, and a client of it. */
const startService = async (
  onRequest: OnRequest,
): Promise<{ client: Client; arrivals: readonly Arrival[] }> => {
  const arrivals: Arrival[] = []
  let connections = 0
  const port = await startTcpServer((socket) => {
    connections += 1
    const connection = connections
    let number = 0
    socket.once('end', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      number += 1
      const arrival = { request: bytes.toString(), connection, number }
      arrivals.push(arrival)
      onRequest(socket, arrival)
    })
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const reconnect = { initialDelay: 1, maxDelay: 1 }
  const options = {
    environment: 'mainnet',
    baseUrl,
    priceBaseUrl: baseUrl,
    authKey: 'AAEC',
    reconnect,
  } as const
  return { client: closeAfterTest(createClient(options)), arrivals }
}

const collectRepeats = (): readonly DiagnosticMessages['svc-streams:repeated'][] => {
  const messages: DiagnosticMessages['svc-streams:repeated'][] = []
  const listener = (message: unknown): void =>
    void messages.push(message as DiagnosticMessages['svc-streams:repeated'])
  subscribe('svc-streams:repeated', listener)
  onTestFinished(() => void unsubscribe('svc-streams:repeated', listener))
  return messages
}

const lineOf = (request: string): string | undefined => request.split('\r\n')[0]

/** Gets a depth successfully, so that its connection can be reused. */
const warmUp = async (client: Client): Promise<void> => {
  expect(await client.depth(weth)()).toMatchObject({ _tag: 'Right' })
  await nextTurn()
}

const signatureOf = ({ request }: Arrival): string | undefined => /x-svc-auth: (\S+)/.exec(request)?.[1]

describe('a request that follows another one', () => {
  it('uses its connection for two minutes, although the service announces no limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { client, arrivals } = await startService((socket, { request }) => respond(socket, request))
    for (const idleMs of [0, 119_000, 125_000]) {
      vi.advanceTimersByTime(idleMs)
      await warmUp(client)
    }
    expect(arrivals.map(({ connection }) => connection)).toEqual([1, 1, 2])
  })
})

describe('a request on a connection that the service closes without a response', () => {
  it.each([
    ['ended', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('is repeated on a new connection when that is %s', async (_how, close) => {
    const repeats = collectRepeats()
    const { client, arrivals } = await startService((socket, { request, number }) => {
      if (number === 1) respond(socket, request)
      else close(socket)
    })
    const { tags } = collectEvents(client.depth$(weth, 5))
    await eventually(() => expect(tags().length).toBeGreaterThan(20))
    for (let count = 0; count < 3; count++) {
      expect(await client.price(ethTopic)()).toMatchObject({ right: { price: 2.5 } })
    }
    expect(new Set(tags())).toEqual(new Set(['Right']))
    const lost = arrivals.filter(({ number }) => number === 2)
    expect(lost.length).toBeGreaterThan(5)
    expect(repeats.length).toBeGreaterThanOrEqual(lost.length - 1)
    expect(repeats[0]).toEqual({ host: /host: (\S+)/.exec(arrivals[0]!.request)?.[1] })
    for (const each of lost) {
      const next = arrivals
        .slice(arrivals.indexOf(each) + 1)
        .find(({ request }) => lineOf(request) === lineOf(each.request))
      if (next === undefined) continue
      expect(next.number).toBe(1)
      expect(next.connection).toBeGreaterThan(each.connection)
    }
  })

  it('is sent twice at most', async () => {
    let isClosing = false
    const { client, arrivals } = await startService((socket, { request }) => {
      if (isClosing) socket.destroy()
      else respond(socket, request)
    })
    for (let round = 0; round < 5; round++) {
      isClosing = false
      await warmUp(client)
      isClosing = true
      const before = arrivals.length
      expect(await client.depth(weth)()).toMatchObject({ left: { _tag: 'NetworkError' } })
      const sent = arrivals.slice(before)
      expect(sent.map(({ number }) => number)).toEqual([2, 1])
    }
  })

  it('is not repeated after close()', async () => {
    const repeats = collectRepeats()
    const { client, arrivals } = await startService((socket, { request, number }) => {
      if (number === 1) respond(socket, request)
    })
    await warmUp(client)
    const result = client.depth(weth)()
    await eventually(() => expect(arrivals).toHaveLength(2))
    await client.close()
    expect(await result).toMatchObject({ left: { _tag: 'ClientClosed' } })
    expect(arrivals).toHaveLength(2)
    expect(repeats).toEqual([])
  })

  it('is signed again', async () => {
    const { client, arrivals } = await startService((socket, { request, number }) => {
      if (number === 1) respond(socket, request)
      // The expiration of a signature counts in ms: the next one differs after a ms.
      else setTimeout(() => socket.destroy(), 3)
    })
    await warmUp(client)
    expect(await client.depth(weth)()).toMatchObject({ _tag: 'Right' })
    const signatures = arrivals.map(signatureOf)
    expect(signatures).toHaveLength(3)
    expect(signatures).not.toContain(undefined)
    expect(signatures[2]).not.toBe(signatures[1])
  })
})

describe('a poll', () => {
  it('has no error when the service closes idle connections as the next request arrives', async () => {
    const interval = 5
    const timers = new Map<Socket, NodeJS.Timeout>()
    onTestFinished(() => timers.forEach((timer) => clearTimeout(timer)))
    const { client } = await startService((socket, { request }) => {
      clearTimeout(timers.get(socket))
      respond(socket, request)
      timers.set(
        socket,
        setTimeout(() => socket.destroy(), interval),
      )
    })
    const mints = Array.from({ length: 8 }, (_, index): Address => `0x${index + 1}`)
    const polls = mints.map((mint) => collectEvents(client.depth$(mint, interval)))
    await eventually(() => polls.forEach(({ tags }) => expect(tags().length).toBeGreaterThan(50)))
    expect(new Set(polls.flatMap(({ tags }) => tags()))).toEqual(new Set(['Right']))
  })
})
