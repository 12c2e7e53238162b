import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import type { ConnectionStatus, Price, PriceError } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { closing, ethTopic, record, weth } from '../support/service.js'
import { deafPort } from '../transport/support/servers.js'
import { clientAt, playService, politely, type Line, type Play } from './support/played-service.js'
import { disconnects, type Prices } from './support/told.js'

// A connection may end, or never come to be, in any way whatever: it is told, and it is replaced.

const closeFrame = (code: number): Buffer => Buffer.of(0x88, 2, code >> 8, code & 255)

/** Whether a close frame may carry this code; any other breaks the rules of WebSockets. */
const isCarriable = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)

const attempts = (prices: Prices): readonly number[] => disconnects(prices).map(({ attempt }) => attempt)

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('every close code', { timeout: 90_000 }, () => {
  it('from 1000 to 4999, and some that are none, is told, and is followed by prices of a new connection', async () => {
    const codes = [0, 1, 999, ...upTo(4000).map((nth) => nth + 999), 5000, 0xffff]
    const toSend = [...codes]
    const afterAll = 1_000_000
    const service = await playService({
      subscribed: (line, topic) => {
        const code = toSend.shift()
        line.confirm(topic)
        // The price says which code comes next; there is no price of 0.
        line.price(topic, code === undefined ? afterAll : code + 1)
        if (code !== undefined) line.wire.end(closeFrame(code))
      },
    })
    const clients = upTo(8).map(() => record(clientAt(service.url).price$(ethTopic)))
    // As long as there is progress, there is time.
    while (toSend.length > 0) {
      const before = toSend.length
      await eventually(() => expect(toSend.length).toBeLessThan(before))
    }
    await eventually(() => {
      for (const prices of clients) expect(prices.rights().at(-1)?.price).toBe(afterAll)
    })

    const told: [code: number, told: number][] = []
    for (const prices of clients) {
      const lost = disconnects(prices)
      const sent = prices.rights().map(({ price }) => price - 1)
      for (const [index, { code }] of lost.entries()) told.push([sent[index]!, code])
      expect(prices.tags()).toEqual(['Right', ...lost.flatMap(() => ['Disconnected', 'Right'])])
      expect(prices.rights().map(({ epoch }) => epoch)).toEqual(upTo(lost.length + 1))
      expect(prices.isComplete()).toBe(false)
    }
    expect(told.sort(([one], [other]) => one - other)).toEqual(
      codes.map((code) => [code, isCarriable(code) ? code : 1006]),
    )
    expect(service.dials.length).toBe(codes.length + clients.length)
  })
})

describe('a connection that ends by', () => {
  it.each<[string, (line: Line) => void, number]>([
    ['a reset', ({ wire }) => wire.resetAndDestroy(), 1006],
    ['the end of the stream, without a goodbye', ({ wire }) => wire.end(), 1006],
    ['a goodbye without a code', ({ wire }) => wire.end(Buffer.of(0x88, 0)), 1005],
    ['a goodbye of one byte', ({ wire }) => wire.end(Buffer.of(0x88, 1, 3)), 1006],
    ['a goodbye in pieces', ({ wire }) => wire.end(Buffer.of(0x08, 2, 3, 0xe8)), 1006],
    ['a reason that is no text', ({ wire }) => wire.end(Buffer.of(0x88, 3, 3, 0xe8, 0xff)), 1000],
    ['two goodbyes', ({ wire }) => wire.end(Buffer.concat([closeFrame(1001), closeFrame(1002)])), 1001],
    ['an answer in HTTP', ({ wire }) => wire.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 1006],
    ['a frame that breaks the rules, and stays', ({ wire }) => wire.write(Buffer.of(0xc1, 0)), 1006],
    ['half a frame', ({ wire }) => wire.end(Buffer.of(0x81, 10, 0x7b)), 1006],
  ])('%s is told once, and replaced', async (_how, end, code) => {
    const service = await playService({ subscribed: politely })
    const eth = record(clientAt(service.url).price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    end(service.lines[0]!)
    await eventually(() => expect(eth.rights()).toHaveLength(2))
    expect(eth.tags()).toEqual(['Right', 'Disconnected', 'Right'])
    expect(disconnects(eth)).toMatchObject([{ code, attempt: 1 }])
    expect(eth.rights()).toMatchObject([
      { price: 1, epoch: 1 },
      { price: 2, epoch: 2 },
    ])
    expect(eth.isComplete()).toBe(false)
  })
})

describe('a dial that fails by', () => {
  const answer = (head: string): Play['upgrade'] & object => {
    return (dial, wire) => {
      if (dial > 3) return false
      wire.end(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`)
      return true
    }
  }
  const untilThird = (end: Play['dialled'] & object): Play['dialled'] & object => {
    return (dial, wire) => {
      if (dial <= 3) end(dial, wire)
    }
  }

  it.each<[string, Play]>([
    ['401', { upgrade: answer('401 Unauthorized') }],
    ['503', { upgrade: answer('503 Service Unavailable') }],
    ['200', { upgrade: answer('200 OK') }],
    ['an upgrade to something else', { upgrade: answer('101 Switching Protocols\r\nUpgrade: h2c') }],
    [
      'an upgrade that was not asked for',
      {
        upgrade: answer(
          '101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm8=',
        ),
      },
    ],
    ['no HTTP at all', { dialled: untilThird((_dial, wire) => wire.end('220 smtp.example ESMTP\r\n')) }],
    ['an end as soon as it is taken', { dialled: untilThird((_dial, wire) => wire.destroy()) }],
    ['a reset as soon as it is taken', { dialled: untilThird((_dial, wire) => wire.resetAndDestroy()) }],
    [
      'a reset in the middle of the upgrade',
      {
        upgrade: (dial, wire) => {
          if (dial > 3) return false
          wire.write('HTTP/1.1 101 Switching', () => wire.resetAndDestroy())
          return true
        },
      },
    ],
  ])('%s is told each time, and tried again until it succeeds', async (_how, play) => {
    const service = await playService({ subscribed: politely, ...play })
    const eth = record(clientAt(service.url).price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    expect(eth.tags()).toEqual(['Disconnected', 'Disconnected', 'Disconnected', 'Right'])
    expect(disconnects(eth)).toMatchObject(upTo(3).map((attempt) => ({ code: 1006, attempt })))
    expect(eth.rights()[0]?.epoch).toBe(1)
    expect(service.dials.length).toBe(4)
    expect(eth.isComplete()).toBe(false)
  })

  it('a redirect is told each time, and never followed', async () => {
    const elsewhere = await playService({ subscribed: politely })
    const redirect = answer(`301 Moved Permanently\r\nLocation: ${elsewhere.url.replace('ws', 'http')}`)
    const service = await playService({ subscribed: politely, upgrade: redirect })
    const eth = record(clientAt(service.url).price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    expect(attempts(eth)).toEqual([1, 2, 3])
    expect(elsewhere.dials).toEqual([])
  })

  it.each<[string, string]>([
    ['nothing', ''],
    ['half an answer', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: web'],
  ])('a stall after %s is cut after connectTimeout, and tried again', async (_what, bytes) => {
    const ended: number[] = []
    const service = await playService({
      subscribed: politely,
      upgrade: (dial, wire) => {
        if (dial > 2) return false
        wire.write(bytes)
        wire.on('end', () => wire.end(() => ended.push(dial)))
        wire.resume()
        return true
      },
    })
    const eth = record(clientAt(service.url, { connectTimeout: 300 }).price$(ethTopic))
    await eventually(() => expect(eth.rights()).toHaveLength(1))
    expect(disconnects(eth)).toMatchObject(
      upTo(2).map((attempt) => ({ code: 1006, reason: 'not open within 300 ms', attempt })),
    )
    // Nothing of the dials that failed is left open.
    await eventually(() => expect(ended).toEqual([1, 2]))
  })

  it('a refusal is told each time, until somebody listens', async () => {
    const wsPort = await deafPort()
    const reconnect = { initialDelay: 10, maxDelay: 10 }
    const eth = record(clientAt(`ws://127.0.0.1:${wsPort}`, { reconnect }).price$(ethTopic))
    await eventually(() => expect(attempts(eth).slice(0, 5)).toEqual([1, 2, 3, 4, 5]))
    closing(await startSimulator({ wsPort, tokens: [weth], tick: 10 }))
    await eventually(() => expect(eth.rights()[0]?.epoch).toBe(1))
    expect(new Set(disconnects(eth).map(({ code }) => code))).toEqual(new Set([1006]))
    expect(attempts(eth)).toEqual(upTo(attempts(eth).length))
  })

  it('a name that nobody knows is told each time, and tried for ever', async () => {
    const eth = record(clientAt('ws://nowhere.invalid:4000').price$(ethTopic))
    await eventually(() => expect(attempts(eth).slice(0, 3)).toEqual([1, 2, 3]))
    expect(disconnects(eth)[0]).toMatchObject({ code: 1006 })
    expect(eth.isComplete()).toBe(false)
  })
})

describe('the waits between dials', () => {
  const reconnect = { initialDelay: 4, maxDelay: 40, stableAfter: 60_000 }

  /** Timers may come a millisecond early, and what is announced is rounded. */
  const early = 2

  /** That each wait announced was waited before the next dial: so nothing ever dials in a loop. */
  const expectWaited = (dials: readonly number[], prices: Prices): void => {
    const waits = disconnects(prices).map(({ retryInMs }) => retryInMs)
    expect(dials.length).toBeLessThanOrEqual(waits.length + 1)
    for (const [index, dial] of dials.slice(1).entries())
      expect(dial - dials[index]!).toBeGreaterThanOrEqual(waits[index]! - early)
  }

  it.each<[string, Play]>([
    ['takes the dial and ends it', { dialled: (_dial, wire) => wire.destroy() }],
    ['opens and ends', { opened: ({ wire }) => wire.destroy() }],
    [
      'opens, confirms, gives a price and ends',
      {
        subscribed: (line, topic) => {
          politely(line, topic)
          line.wire.end(closeFrame(1000))
        },
      },
    ],
  ])('grow with each failure and are drawn by chance, where a service always %s', async (_how, play) => {
    const service = await playService(play)
    const eth = record(clientAt(service.url, { reconnect }).price$(ethTopic))
    const tries = 24
    await eventually(() => expect(attempts(eth).length).toBeGreaterThanOrEqual(tries))
    eth.subscription.unsubscribe()
    const told = disconnects(eth)
    expect(attempts(eth)).toEqual(upTo(told.length))
    const ceilings = told.map(({ attempt }) => Math.min(40, 4 * 2 ** (attempt - 1)))
    const shares = told.map(({ retryInMs }, index) => retryInMs / ceilings[index]!)
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(1)
    }
    // Full jitter: anywhere below the ceiling, not only near to it.
    expect(Math.min(...shares)).toBeLessThan(0.5)
    expect(Math.max(...shares)).toBeGreaterThan(0.5)
    // Most of the ceilings are 40, and what is drawn soon is beyond those before.
    expect(Math.max(...told.map(({ retryInMs }) => retryInMs))).toBeGreaterThan(16)
    expectWaited(service.dials, eth)
  })

  it('are waited by those who leave and come back at every failure, too', async () => {
    const service = await playService({ dialled: (_dial, wire) => wire.destroy() })
    const client = clientAt(service.url, { reconnect })
    const told = new Map<number, number>()
    const isNews = (event: Either<PriceError, Price>): boolean =>
      isLeft(event) && event.left._tag === 'Disconnected' && !told.has(event.left.attempt)
    while (told.size < 12) {
      const event = await firstValueFrom(client.price$(ethTopic).pipe(filter(isNews)))
      if (isLeft(event) && event.left._tag === 'Disconnected')
        told.set(event.left.attempt, event.left.retryInMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([...told.keys()]).toEqual(upTo(12))
    const waits = [...told.values()].slice(0, -1)
    const waited = waits.reduce((sum, wait) => sum + wait - early, 0)
    expect(service.dials.at(-1)! - service.dials[0]!).toBeGreaterThanOrEqual(waited)
    // After a wait of 0 there is a dial under way already when they leave, which is then one for nothing.
    expect(service.dials.length).toBeLessThanOrEqual(2 * told.size)
  })

  it('do not start over because a connection opened and gave prices', async () => {
    const service = await playService({ subscribed: politely })
    const eth = record(clientAt(service.url, { reconnect }).price$(ethTopic))
    for (const times of upTo(4)) {
      await eventually(() => expect(eth.rights()).toHaveLength(times))
      service.lines[times - 1]!.wire.destroy()
    }
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3, 4]))
  })

  it('start over after a connection that stayed up for stableAfter', async () => {
    const stableAfter = 100
    let short = 3
    const service = await playService({
      subscribed: (line, topic) => {
        politely(line, topic)
        if (short-- > 0) line.wire.destroy()
      },
    })
    const client = clientAt(service.url, { reconnect: { initialDelay: 1, maxDelay: 1, stableAfter } })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3]))
    const isFourth = (status: ConnectionStatus) => status._tag === 'Open' && status.epoch === 4
    await firstValueFrom(client.status$.pipe(filter(isFourth)))
    const opened = performance.now()
    await eventually(() => expect(performance.now() - opened).toBeGreaterThan(stableAfter))
    service.lines[3]!.wire.destroy()
    await eventually(() => expect(attempts(eth)).toEqual([1, 2, 3, 1]))
  })
})

describe('a dial that hangs', () => {
  it('is ended when the last who wanted it leaves, and nothing is told', async () => {
    const ended: number[] = []
    const service = await playService({
      upgrade: (dial, wire) => {
        wire.on('end', () => wire.end(() => ended.push(dial)))
        wire.resume()
        return true
      },
    })
    const client = clientAt(service.url)
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(service.dials).toHaveLength(1))
    eth.subscription.unsubscribe()
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Idle')))
    await eventually(() => expect(ended).toEqual([1]))
    expect(eth.tags()).toEqual([])
  })
})
