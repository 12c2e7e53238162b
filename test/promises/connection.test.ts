import fc from 'fast-check'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import type { ConnectionStatus, Price, PriceError } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { nextTurn } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { ethTopic, weth } from '../support/tokens.js'
import { collectEvents } from '../support/collect-events.js'
import { findUnusedPort } from '../support/network/servers.js'
import {
  createPriceClient,
  startScriptedService,
  confirmAndSendPrice,
  type ServiceConnection,
  type ScriptedServiceOptions,
} from '../support/network/scripted-service.js'
import { disconnectedErrors, type CollectedPrices } from './support/collected-prices.js'
import { isLong } from '../support/run/long.js'

// Ended connections and failed dials: the client reports each one and reconnects.

const closeFrame = (code: number): Buffer => Buffer.of(0x88, 2, code >> 8, code & 255)

/** True if a close frame may carry this code; any other code is a protocol violation. */
const isCarriable = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)

const attempts = (prices: CollectedPrices): readonly number[] =>
  disconnectedErrors(prices).map(({ attempt }) => attempt)

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('a connection that the service closes', { timeout: 90_000 }, () => {
  it('emits one Disconnected and reconnects, for each close code from 1000 to 4999 and for invalid codes', async () => {
    const every = upTo(4000).map((nth) => nth + 999)
    const some = fc.sample(fc.constantFrom(...every), 200)
    const edges = [0, 1, 999, 1000, 1004, 1006, 1007, 1014, 1015, 2999, 3000, 4999, 5000, 0xffff]
    const codes = [...new Set([...edges, ...(isLong ? every : some)])].sort((one, other) => one - other)
    const toSend = [...codes]
    const afterAll = 1_000_000
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        const code = toSend.shift()
        connection.sendConfirmation(topic)
        // The price is the next code plus 1, because a price is above 0.
        connection.sendPrice(topic, code === undefined ? afterAll : code + 1)
        if (code !== undefined) connection.tcpSocket.end(closeFrame(code))
      },
    })
    const clients = upTo(8).map(() => collectEvents(createPriceClient(service.url).price$(ethTopic)))
    // No overall deadline: the test continues as long as the client consumes codes.
    while (toSend.length > 0) {
      const before = toSend.length
      await eventually(() => expect(toSend.length).toBeLessThan(before))
    }
    await eventually(() => {
      for (const prices of clients) expect(prices.values().at(-1)?.price).toBe(afterAll)
    })

    const closeCodes: [code: number, received: number][] = []
    for (const prices of clients) {
      const lost = disconnectedErrors(prices)
      const sent = prices.values().map(({ price }) => price - 1)
      for (const [index, { code }] of lost.entries()) closeCodes.push([sent[index]!, code])
      expect(prices.tags()).toEqual(['Right', ...lost.flatMap(() => ['Disconnected', 'Right'])])
      expect(prices.values().map(({ epoch }) => epoch)).toEqual(upTo(lost.length + 1))
      expect(prices.isComplete()).toBe(false)
    }
    expect(closeCodes.sort(([one], [other]) => one - other)).toEqual(
      codes.map((code) => [code, isCarriable(code) ? code : 1006]),
    )
    expect(service.dialTimes.length).toBe(codes.length + clients.length)
  })
})

describe('a connection ended by', () => {
  it.each<[string, (connection: ServiceConnection) => void, number]>([
    ['a reset', ({ tcpSocket }) => tcpSocket.resetAndDestroy(), 1006],
    ['the end of the stream without a close frame', ({ tcpSocket }) => tcpSocket.end(), 1006],
    ['a close frame without a code', ({ tcpSocket }) => tcpSocket.end(Buffer.of(0x88, 0)), 1005],
    [
      'a close frame with a payload of one byte',
      ({ tcpSocket }) => tcpSocket.end(Buffer.of(0x88, 1, 3)),
      1006,
    ],
    ['a fragmented close frame', ({ tcpSocket }) => tcpSocket.end(Buffer.of(0x08, 2, 3, 0xe8)), 1006],
    [
      'a close reason that is not UTF-8',
      ({ tcpSocket }) => tcpSocket.end(Buffer.of(0x88, 3, 3, 0xe8, 0xff)),
      1000,
    ],
    [
      'two close frames',
      ({ tcpSocket }) => tcpSocket.end(Buffer.concat([closeFrame(1001), closeFrame(1002)])),
      1001,
    ],
    ['an HTTP response', ({ tcpSocket }) => tcpSocket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 1006],
    [
      'an invalid frame on a socket that stays open',
      ({ tcpSocket }) => tcpSocket.write(Buffer.of(0xc1, 0)),
      1006,
    ],
    ['half a frame', ({ tcpSocket }) => tcpSocket.end(Buffer.of(0x81, 10, 0x7b)), 1006],
  ])('%s emits one Disconnected and is replaced', async (_how, end, code) => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const eth = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    end(service.connections[0]!)
    await eventually(() => expect(eth.values()).toHaveLength(2))
    expect(eth.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    expect(disconnectedErrors(eth)).toMatchObject([{ code, attempt: 1 }])
    expect(eth.values()).toMatchObject([
      { price: 1, epoch: 1 },
      { price: 2, epoch: 2 },
    ])
    expect(eth.isComplete()).toBe(false)
  })
})

describe('a dial that fails with', () => {
  const respondWith = (head: string): ScriptedServiceOptions['onUpgrade'] & object => {
    return (dial, tcpSocket) => {
      if (dial > 3) return false
      tcpSocket.end(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`)
      return true
    }
  }
  const untilThird = (
    end: ScriptedServiceOptions['onDial'] & object,
  ): ScriptedServiceOptions['onDial'] & object => {
    return (dial, tcpSocket) => {
      if (dial <= 3) end(dial, tcpSocket)
    }
  }

  it.each<[string, ScriptedServiceOptions]>([
    ['401', { onUpgrade: respondWith('401 Unauthorized') }],
    ['503', { onUpgrade: respondWith('503 Service Unavailable') }],
    ['200', { onUpgrade: respondWith('200 OK') }],
    ['an upgrade to another protocol', { onUpgrade: respondWith('101 Switching Protocols\r\nUpgrade: h2c') }],
    [
      'a wrong Sec-WebSocket-Accept header',
      {
        onUpgrade: respondWith(
          '101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm8=',
        ),
      },
    ],
    [
      'a response that is not HTTP',
      { onDial: untilThird((_dial, tcpSocket) => tcpSocket.end('220 smtp.example ESMTP\r\n')) },
    ],
    ['a connection closed on accept', { onDial: untilThird((_dial, tcpSocket) => tcpSocket.destroy()) }],
    [
      'a connection reset on accept',
      { onDial: untilThird((_dial, tcpSocket) => tcpSocket.resetAndDestroy()) },
    ],
    [
      'a reset during the upgrade',
      {
        onUpgrade: (dial, tcpSocket) => {
          if (dial > 3) return false
          tcpSocket.write('HTTP/1.1 101 Switching', () => tcpSocket.resetAndDestroy())
          return true
        },
      },
    ],
  ])('%s emits a Disconnected per attempt and is retried until it succeeds', async (_how, options) => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice, ...options })
    const eth = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    expect(eth.tags()).toEqual(['Disconnected', 'Disconnected', 'Disconnected', 'Right'])
    expect(disconnectedErrors(eth)).toMatchObject(upTo(3).map((attempt) => ({ code: 1006, attempt })))
    expect(eth.values()[0]?.epoch).toBe(1)
    expect(service.dialTimes.length).toBe(4)
    expect(eth.isComplete()).toBe(false)
  })

  it('a redirect emits a Disconnected per attempt and is not followed', async () => {
    const elsewhere = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const redirect = respondWith(`301 Moved Permanently\r\nLocation: ${elsewhere.url.replace('ws', 'http')}`)
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice, onUpgrade: redirect })
    const eth = collectEvents(createPriceClient(service.url).price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    expect(attempts(eth)).toEqual([1, 2, 3])
    expect(elsewhere.dialTimes).toEqual([])
  })

  it.each<[string, string]>([
    ['no bytes', ''],
    ['half a response', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: web'],
  ])('a stall after %s is terminated after connectTimeout and retried', async (_what, bytes) => {
    const ended: number[] = []
    const service = await startScriptedService({
      onSubscribe: confirmAndSendPrice,
      onUpgrade: (dial, tcpSocket) => {
        if (dial > 2) return false
        tcpSocket.write(bytes)
        tcpSocket.on('end', () => tcpSocket.end(() => ended.push(dial)))
        tcpSocket.resume()
        return true
      },
    })
    const eth = collectEvents(createPriceClient(service.url, { connectTimeout: 300 }).price$(ethTopic))
    await eventually(() => expect(eth.values()).toHaveLength(1))
    expect(disconnectedErrors(eth)).toMatchObject(
      upTo(2).map((attempt) => ({ code: 1006, reason: 'not open within 300 ms', attempt })),
    )
    // The failed dials leave no open socket.
    await eventually(() => expect(ended).toEqual([1, 2]))
  })

  it('a refused connection emits a Disconnected per attempt until a server listens', async () => {
    const wsPort = await findUnusedPort()
    const reconnect = { initialDelay: 10, maxDelay: 10 }
    const eth = collectEvents(createPriceClient(`ws://127.0.0.1:${wsPort}`, { reconnect }).price$(ethTopic))
    await eventually(() => expect(attempts(eth).slice(0, 5)).toEqual([1, 2, 3, 4, 5]))
    closeAfterTest(await startSimulator({ wsPort, tokens: [weth], tick: 10 }))
    await eventually(() => expect(eth.values()[0]?.epoch).toBe(1))
    expect(new Set(disconnectedErrors(eth).map(({ code }) => code))).toEqual(new Set([1006]))
    expect(attempts(eth)).toEqual(upTo(attempts(eth).length))
  })

  it('an unknown host name emits a Disconnected per attempt and is retried without limit', async () => {
    const eth = collectEvents(createPriceClient('ws://nowhere.invalid:4000').price$(ethTopic))
    await eventually(() => expect(attempts(eth).slice(0, 3)).toEqual([1, 2, 3]))
    expect(disconnectedErrors(eth)[0]).toMatchObject({ code: 1006 })
    expect(eth.isComplete()).toBe(false)
  })
})

describe('the backoff between dials', () => {
  const reconnect = { initialDelay: 4, maxDelay: 40, stableAfter: 60_000 }

  /** Tolerance in ms: timers may fire 1 ms early, and `retryInMs` is rounded. */
  const early = 2

  /** Asserts that the client waited each announced `retryInMs` before the next dial. */
  const expectWaited = (dials: readonly number[], prices: CollectedPrices): void => {
    const waits = disconnectedErrors(prices).map(({ retryInMs }) => retryInMs)
    expect(dials.length).toBeLessThanOrEqual(waits.length + 1)
    for (const [index, dial] of dials.slice(1).entries())
      expect(dial - dials[index]!).toBeGreaterThanOrEqual(waits[index]! - early)
  }

  it.each<[string, ScriptedServiceOptions]>([
    ['accepts the dial and closes it', { onDial: (_dial, tcpSocket) => tcpSocket.destroy() }],
    ['opens and closes the connection', { onOpen: ({ tcpSocket }) => tcpSocket.destroy() }],
    [
      'opens, confirms, sends a price and closes the connection',
      {
        onSubscribe: (connection, topic) => {
          confirmAndSendPrice(connection, topic)
          connection.tcpSocket.end(closeFrame(1000))
        },
      },
    ],
  ])('grows with each failure and is drawn at random when the service %s', async (_how, options) => {
    const service = await startScriptedService(options)
    const eth = collectEvents(createPriceClient(service.url, { reconnect }).price$(ethTopic))
    const tries = 24
    await eventually(() => expect(attempts(eth).length).toBeGreaterThanOrEqual(tries))
    eth.subscription.unsubscribe()
    const failures = disconnectedErrors(eth)
    expect(attempts(eth)).toEqual(upTo(failures.length))
    const ceilings = failures.map(({ attempt }) => Math.min(40, 4 * 2 ** (attempt - 1)))
    const shares = failures.map(({ retryInMs }, index) => retryInMs / ceilings[index]!)
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(1)
    }
    // Full jitter: the draws cover the whole range below the ceiling.
    expect(Math.min(...shares)).toBeLessThan(0.5)
    expect(Math.max(...shares)).toBeGreaterThan(0.5)
    // Most ceilings are 40 ms, so the largest draw exceeds the ceilings of the first attempts.
    expect(Math.max(...failures.map(({ retryInMs }) => retryInMs))).toBeGreaterThan(16)
    expectWaited(service.dialTimes, eth)
  })

  it('applies to subscribers that leave and return at every failure', async () => {
    const service = await startScriptedService({ onDial: (_dial, tcpSocket) => tcpSocket.destroy() })
    const client = createPriceClient(service.url, { reconnect })
    const delays = new Map<number, number>()
    const isNewFailure = (event: Either<PriceError, Price>): boolean =>
      isLeft(event) && event.left._tag === 'Disconnected' && !delays.has(event.left.attempt)
    while (delays.size < 12) {
      const event = await firstValueFrom(client.price$(ethTopic).pipe(filter(isNewFailure)))
      if (isLeft(event) && event.left._tag === 'Disconnected')
        delays.set(event.left.attempt, event.left.retryInMs)
      await nextTurn()
    }
    expect([...delays.keys()]).toEqual(upTo(12))
    const waits = [...delays.values()].slice(0, -1)
    const waited = waits.reduce((sum, wait) => sum + wait - early, 0)
    expect(service.dialTimes.at(-1)! - service.dialTimes[0]!).toBeGreaterThanOrEqual(waited)
    // After a wait of 0 ms a dial may be in progress when the subscriber leaves. That dial is aborted.
    expect(service.dialTimes.length).toBeLessThanOrEqual(2 * delays.size)
  })

  it('does not reset when a connection opens and delivers prices', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const eth = collectEvents(createPriceClient(service.url, { reconnect }).price$(ethTopic))
    for (const times of upTo(4)) {
      await eventually(() => expect(eth.values()).toHaveLength(times))
      service.connections[times - 1]!.tcpSocket.destroy()
    }
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3, 4]))
  })

  it('resets after a connection has been up for stableAfter', async () => {
    // Far above what a connection takes that the service destroys at once.
    const stableAfter = 500
    let short = 3
    const service = await startScriptedService({
      onSubscribe: (connection, topic) => {
        confirmAndSendPrice(connection, topic)
        if (short-- > 0) connection.tcpSocket.destroy()
      },
    })
    const client = createPriceClient(service.url, {
      reconnect: { initialDelay: 1, maxDelay: 1, stableAfter },
    })
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3]))
    const isFourth = (status: ConnectionStatus) => status._tag === 'Open' && status.epoch === 4
    await firstValueFrom(client.status$.pipe(filter(isFourth)))
    const opened = performance.now()
    await eventually(() => expect(performance.now() - opened).toBeGreaterThan(stableAfter))
    service.connections[3]!.tcpSocket.destroy()
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3, 1]))
  })
})

describe('a dial that hangs', () => {
  it('is aborted without an event when the last subscriber leaves', async () => {
    const ended: number[] = []
    const service = await startScriptedService({
      onUpgrade: (dial, tcpSocket) => {
        tcpSocket.on('end', () => tcpSocket.end(() => ended.push(dial)))
        tcpSocket.resume()
        return true
      },
    })
    const client = createPriceClient(service.url)
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(service.dialTimes).toHaveLength(1))
    eth.subscription.unsubscribe()
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    await eventually(() => expect(ended).toEqual([1]))
    expect(eth.tags()).toEqual([])
  })
})
