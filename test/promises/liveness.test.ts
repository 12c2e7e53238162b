import { isLeft } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { blockEventLoop } from '../support/time/event-loop.js'
import { startServiceThread } from '../support/network/service-thread.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { ethTopic } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import { frame, opcode } from '../wire/transport/ws/support/frames.js'
import {
  createPriceClient,
  startScriptedService,
  confirmAndSendPrice,
  type ServiceConnection,
} from '../support/network/scripted-service.js'
import { disconnectedErrors } from './support/collected-prices.js'

// Any frame keeps a connection open. A connection without frames is replaced.

const every = (ms: number, act: () => void): void => {
  const timer = setInterval(act, ms)
  onTestFinished(() => clearInterval(timer))
}

const space = Buffer.from(' ')

/** Half of a text frame: its header announces more bytes than follow. */
const halfFrame = Buffer.from([0x81, 100, ...Buffer.from('{"topic":')])

describe('a service that never answers a ping', () => {
  // Long enough for a loaded machine.
  const timeouts = { pingInterval: 150, pongTimeout: 150 }

  it.each<[string, (connection: ServiceConnection) => void]>([
    ['prices', (connection) => connection.sendPrice(ethTopic, 1)],
    ['unsolicited pongs', (connection) => connection.sendPong()],
    ['pings', (connection) => connection.sendPing()],
    ['confirmations', (connection) => connection.sendConfirmation(ethTopic)],
    ['error texts', (connection) => connection.send('Error: not now')],
    ['binary frames', (connection) => connection.send(Buffer.of(1, 2, 3))],
    ['invalid prices', (connection) => connection.sendPrice(ethTopic, -1)],
    ['prices of topics without a subscriber', (connection) => connection.sendPrice('svc-0xdead', 1)],
  ])('keeps its connection as long as it sends %s', async (_what, say) => {
    const service = await startScriptedService({
      answersPings: false,
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        every(10, () => say(connection))
      },
    })
    const eth = collectEvents(createPriceClient(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(3))
    expect(disconnectedErrors(eth)).toEqual([])
    expect(service.dialTimes.length).toBe(1)
    expect(service.connections[0]?.isOpen()).toBe(true)
  })

  it.each<[string, (connection: ServiceConnection) => void]>([
    ['pongs between them', (connection) => connection.sendPong()],
    [
      'nothing else',
      ({ tcpSocket }) =>
        tcpSocket.write(frame({ opcode: opcode.continuation, payload: space, isFinal: false })),
    ],
  ])('keeps its connection while it sends the fragments of a message and %s', async (_what, say) => {
    const service = await startScriptedService({
      answersPings: false,
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        connection.tcpSocket.write(Buffer.from([0x01, 1, ...Buffer.from('{')]))
        every(10, () => say(connection))
      },
    })
    const eth = collectEvents(createPriceClient(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(service.connections[0]?.pingCount()).toBeGreaterThan(3))
    expect(eth.tags()).toEqual(['Right'])
    expect(service.dialTimes.length).toBe(1)
  })
})

describe('the client', () => {
  const timeouts = { pingInterval: 60, pongTimeout: 50 }

  it.each<[string, boolean, (connection: ServiceConnection) => void]>([
    ['sends nothing and reads nothing', true, ({ tcpSocket }) => tcpSocket.pause()],
    ['sends nothing and reads everything', false, () => undefined],
    ['stops within a frame', false, ({ tcpSocket }) => tcpSocket.write(halfFrame)],
    ['stops within a frame header', false, ({ tcpSocket }) => tcpSocket.write(Buffer.of(0x81))],
    [
      'stops within a fragmented message',
      false,
      ({ tcpSocket }) => tcpSocket.write(Buffer.of(0x01, 1, 0x7b)),
    ],
    [
      'sends an endless frame byte by byte',
      false,
      ({ tcpSocket }) => {
        tcpSocket.write(Buffer.of(0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0))
        every(5, () => {
          if (tcpSocket.writable) tcpSocket.write(' ')
        })
      },
    ],
  ])('replaces the socket when the service %s', async (_how, answersPings, fall) => {
    const service = await startScriptedService({
      answersPings,
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        if (connection.id > 1) return every(10, () => connection.sendPrice(topic, connection.id))
        fall(connection)
      },
    })
    const eth = collectEvents(createPriceClient(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(eth.values().at(-1)?.epoch).toBeGreaterThanOrEqual(2))
    expect(eth.tags().slice(0, 3)).toEqual(['Right', 'Disconnected', 'Right'])
    expect(disconnectedErrors(eth)[0]).toMatchObject({
      code: 1006,
      attempt: 1,
      reason: 'no frame within 50 ms of a ping',
    })
    service.connections[0]!.tcpSocket.resume()
    // The client terminates the socket: a close handshake would need the service.
    await eventually(() => expect(service.connections[0]!.closeCode()).toBe(1006))
  })
})

describe('a blocked event loop', () => {
  it('causes no Stale, no SubscriptionTimeout and no reconnect, in any phase of the loop', async () => {
    const { priceWsUrl } = closeAfterTest(await startServiceThread({ tick: 20 })).addresses
    const client = createPriceClient(priceWsUrl, {
      // Far above the pauses of the service's thread on a loaded machine.
      pingInterval: 800,
      pongTimeout: 800,
      staleAfter: 800,
      confirmTimeout: 800,
    })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.values().length).toBeGreaterThan(0))
    const moments: ((act: () => void) => unknown)[] = [setImmediate, setTimeout, queueMicrotask]
    for (const later of [...moments, ...moments]) {
      const before = eth.values().length
      await new Promise<void>((resolve) =>
        later(() => {
          blockEventLoop(1700)
          resolve()
        }),
      )
      blockEventLoop(900)
      await eventually(() => expect(eth.values().length).toBeGreaterThan(before + 1))
    }
    expect(eth.events.filter(isLeft)).toEqual([])
    expect(eth.values().at(-1)?.epoch).toBe(1)
  })

  it('causes no Timeout of a request that it kept from being sent', async () => {
    const { addresses } = closeAfterTest(await startServiceThread())
    const client = closeAfterTest(
      createClient({ environment: 'mainnet', ...addresses, requestTimeout: 300, connectTimeout: 300 }),
    )
    for (const blockedMs of [400, 700]) {
      // Twice: on a new connection, and on a reused one.
      const request = client.depth('0xab')()
      blockEventLoop(blockedMs)
      expect(await request).toMatchObject({ right: { price: 1 } })
    }
    const polled = firstValueFrom(client.depth$('0xcd', 1000))
    blockEventLoop(700)
    expect(await polled).toMatchObject({ right: { price: 1 } })
  })

  it.each(['in the tick of the subscription', 'in the tick of the dial', 'in the turn after the dial'])(
    'causes no failure of a dial when it is blocked %s',
    async (moment) => {
      const { priceWsUrl } = closeAfterTest(await startServiceThread()).addresses
      const client = createPriceClient(priceWsUrl, { connectTimeout: 300 })
      const statuses: string[] = []
      client.status$.subscribe((status) => {
        statuses.push(status._tag)
        if (status._tag !== 'Connecting') return
        if (moment === 'in the tick of the dial') queueMicrotask(() => blockEventLoop(500))
        if (moment === 'in the turn after the dial') setImmediate(() => blockEventLoop(500))
      })
      const price = firstValueFrom(client.price$(ethTopic))
      if (moment === 'in the tick of the subscription') blockEventLoop(500)
      expect(await price).toMatchObject({ right: { price: 1 } })
      expect(statuses).toEqual(['Idle', 'Connecting', 'Open'])
    },
  )
})
