import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import type { Topic } from 'svc-streams'
import type { GatewayOptions } from 'svc-streams/gateway'
import { openHistory } from 'svc-streams/history'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { stale } from '../../../src/base/errors/constructors.js'
import { FolderIndex } from '../../../src/gateway/history/folder-index.js'
import type { GatewayHistory } from '../../../src/gateway/history/gateway-history.js'
import { historyResponses } from '../../../src/gateway/history/history-responses.js'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import { rxClock } from '../../../src/base/time/clock.js'
import { eventsOf } from '../../backtest/history/support/files.js'
import { down, recordingText } from '../../backtest/recording/support/recordings.js'
import { startHttpServer } from '../../support/network/servers.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import { caseCount } from '../../support/run/long.js'
import { getRaw } from '../support/raw-request.js'
import { startTestGateway } from '../support/start-test-gateway.js'
import { newFolder } from '../../support/new-folder.js'
import { recordingsIn } from './support/folder.js'

const topic: Topic = 'svc-0xab'
const at = Math.floor(Date.now() / 1000) * 1000 - 36_000_000
const header = (ms: number): RecordingHeader => ({
  _tag: 'Recording',
  version: 1,
  at: at + ms,
  topics: [topic],
  mints: [],
  interval: 1000,
})
const priceRow = (ms: number, usd: number): Row => ({
  _tag: 'Price',
  at: at + ms,
  topic,
  event: right(price(topic, usd, { receivedAt: at + ms })),
})

type Line = Row | RecordingHeader

/** A recording that starts at the `at` of its header. `end`: follows the last line. */
const writeRecording = (folder: string, lines: readonly Line[], end = '', of = topic): void => {
  const time = new Date(lines[0]!.at).toISOString().slice(0, 19).replaceAll(':', '-')
  writeFileSync(join(folder, `${of}.${time}Z.ndjson`), recordingText(...lines) + end)
}

/** A gateway without prices, over the recordings of earlier ones. */
const serve = (folder: string, options: GatewayOptions = {}) =>
  startTestGateway(createTestClient(), { ...options, history: { folder } })

const serveTwoPrices = async (options: GatewayOptions = {}) => {
  const folder = newFolder()
  writeRecording(folder, [header(0), priceRow(0, 1), priceRow(500, 2)])
  return (await serve(folder, options)).baseUrl
}

describe('GET /history/<topic>', () => {
  it('is NDJSON, compressed for those who accept gzip', async () => {
    const url = `${await serveTwoPrices()}/history/${topic}?from=${at}&to=${at + 501}`
    const lines =
      `{"_tag":"PastPrice","topic":"svc-0xab","price":1,"at":${at}}\n` +
      `{"_tag":"PastPrice","topic":"svc-0xab","price":2,"at":${at + 500}}\n` +
      `{"_tag":"Gap","topic":"svc-0xab","from":${at + 500},"to":${at + 501},"cause":"unrecorded"}\n`
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'br, gzip;q=0' } })
    expect(plain.headers.get('content-type')).toBe('application/x-ndjson')
    expect(plain.headers.get('cache-control')).toBe('no-store')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(lines)
    const { origin, pathname, search, host } = new URL(url)
    const zipped = await getRaw(origin, pathname + search, [`Host: ${host}`, 'Accept-Encoding: br, gzip'])
    expect(zipped.text).toContain('Content-Encoding: gzip')
    const start = zipped.text.indexOf('\x1f\x8b')
    const size = Number.parseInt(zipped.text.slice(zipped.text.lastIndexOf('\r\n', start - 3) + 2, start), 16)
    expect(size).toBeGreaterThan(0)
    const chunks = zipped.text.slice(zipped.text.indexOf('\r\n\r\n') + 4)
    expect(gunzipSync(unchunked(chunks)).toString()).toBe(lines)
  })

  it('has prices without an exponent', async () => {
    const folder = newFolder()
    writeRecording(folder, [header(0), priceRow(0, 3e-9), priceRow(500, 1e21)])
    const response = await fetch(
      `${(await serve(folder)).baseUrl}/history/${topic}?from=${at}&to=${at + 501}`,
    )
    const text = await response.text()
    expect(text).toContain('"price":0.000000003,')
    expect(text).toContain('"price":1000000000000000000000,')
  })

  it.each([
    ['?from=abc', 'from: expected a time in ms since the Unix epoch, got "abc"'],
    ['', 'from: expected a time in ms since the Unix epoch, got "nothing"'],
    ['?from=0&to=1e400', 'to: expected a time in ms since the Unix epoch, got "1e400"'],
    ['?from=1764000000', 'got 1764000000, which looks like seconds'],
    ['?from=20&to=10', 'from: expected a time before to'],
  ])('is 400 with the reason for %o', async (query, text) => {
    const response = await fetch(`${await serveTwoPrices()}/history/${topic}${query}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(text)
  })

  it('is 400 for no topic of the service, 404 for an unknown one, and 405 for another method', async () => {
    const url = await serveTwoPrices()
    const statusOf = async (path: string, method = 'GET') => (await fetch(url + path, { method })).status
    expect(await statusOf('/history/acme-0xab?from=0')).toBe(400)
    expect(await statusOf('/history/svc-0xcd?from=0')).toBe(404)
    expect(await statusOf('/history/svc-0xab?from=0', 'POST')).toBe(405)
    expect(await eventsOf(openHistory(url).prices$('svc-0xcd', { from: 0 }))).toMatchObject([
      { left: { _tag: 'UnknownTopic', topic: 'svc-0xcd' } },
    ])
  })

  it('is 404 without a history', async () => {
    const { baseUrl } = await startTestGateway(createTestClient())
    expect(await eventsOf(openHistory(baseUrl).prices$(topic, { from: 0 }))).toMatchObject([
      { left: { _tag: 'HttpError', status: 404, body: 'Not Found: this gateway has no history' } },
    ])
    expect(await openHistory(baseUrl).topics()()).toMatchObject({ left: { status: 404 } })
  })

  it('has the access rules of prices', async () => {
    const url = await serveTwoPrices({ origins: ['https://app.example'], keys: { a: 'AAEC' } })
    const target = `/history/${topic}?from=0`
    expect((await getRaw(url, target, ['Host: evil.example'])).status).toBe(403)
    const of = (origin: string) => fetch(url + target, { headers: { Origin: origin } })
    expect((await of('https://evil.example')).status).toBe(403)
    const allowed = await of('https://app.example')
    expect(allowed.status).toBe(200)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  /** A consumer that asks for `count` prices, and stops reading. Resolves when the gateway has stopped too. */
  const startStalledReading = async (count: number) => {
    let emitted = 0
    let hasEnded = false
    const history = {
      read: async (_topic, _range, { emit, flush, closing }) => {
        for (; emitted < count && !closing.closed; emitted++) {
          emit({ _tag: 'PastPrice', topic, price: emitted + 1, at })
          if (emitted % 1000 === 0) await flush()
        }
        hasEnded = true
        return right(undefined)
      },
    } satisfies Partial<GatewayHistory>
    const respond = historyResponses(history as never, { service: 'svc', clock: rxClock })
    const url = await startHttpServer((request, response) =>
      respond(request, response, { consumer: request.socket, group: '' }),
    )
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.pause()
    socket.write(`GET /history/${topic}?from=0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let before = -1
    await eventually(async () => {
      before = emitted
      for (let turn = 0; turn < 200; turn++) await nextTurn()
      return emitted > 0 && emitted === before
    })
    expect(emitted).toBeLessThan(count)
    return { socket, emitted: () => emitted, hasEnded: () => hasEnded }
  }

  it('reads on only when the consumer has read', async () => {
    const count = 200_000
    const { socket, emitted } = await startStalledReading(count)
    let lines = 0
    socket.on('data', (chunk) => (lines += chunk.toString('latin1').split('PastPrice').length - 1))
    socket.resume()
    await eventually(() => expect(lines).toBeGreaterThan(count * 0.99))
    expect(emitted()).toBe(count)
  })

  it('ends for a consumer that reads nothing for 60 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { hasEnded } = await startStalledReading(200_000)
    vi.advanceTimersByTime(59_999)
    for (let turn = 0; turn < 200; turn++) await nextTurn()
    expect(hasEnded()).toBe(false)
    vi.advanceTimersByTime(1)
    await eventually(() => expect(hasEnded()).toBe(true))
  })

  it('ends without its end if the reading fails, which is a Left after the events before', async () => {
    const folder = newFolder()
    const rows = Array.from({ length: 20_000 }, (_, ms) => priceRow(ms, ms + 1))
    writeRecording(folder, [header(0), ...rows], '{"_tag":"Price"\n')
    const { baseUrl } = await serve(folder)
    const events = await eventsOf(openHistory(baseUrl).prices$(topic, { from: at }))
    expect(events.length).toBeGreaterThan(1000)
    expect(events.slice(0, -1).every(isRight)).toBe(true)
    expect(events.at(-1)).toMatchObject({ left: { _tag: 'NetworkError' } })
  })
})

/** The body of a response in chunks, as latin1. */
const unchunked = (text: string): Buffer => {
  const [size = '0'] = text.split('\r\n', 1)
  const length = Number.parseInt(size, 16)
  const start = size.length + 2
  if (!(length > 0)) return Buffer.alloc(0)
  const chunk = Buffer.from(text.slice(start, start + length), 'latin1')
  return Buffer.concat([chunk, unchunked(text.slice(start + length + 2))])
}

describe('GET /history', () => {
  it('opens no further files when its consumer has left', async () => {
    const folder = newFolder()
    for (let number = 0; number < 500; number++)
      writeRecording(folder, [header(0)], '', `svc-0x${number.toString(16)}`)
    const { baseUrl } = await serve(folder)
    const filesOf = vi.spyOn(FolderIndex.prototype, 'filesOf')
    onTestFinished(() => filesOf.mockRestore())
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    socket.write('GET /history HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(() => filesOf.mock.calls.length > 0)
    socket.destroy()
    for (let count = 0; count < 2; count++) expect((await getRaw(baseUrl, '/history')).status).toBe(200)
    expect(filesOf.mock.calls.length).toBeLessThan(1_500)
  })
})

describe('openHistory of a URL', () => {
  it.each(['market.ndjson', 'ftp://host', 'http://name:secret@host', ''])(
    'throws a ConfigurationError for %o, which it does not repeat',
    (url) =>
      expect(() => openHistory(url)).toThrow(
        /^source: (?:expected an array of recordings, or|got a URL with a user or a password, expected) the URL/,
      ),
  )

  it.each<[string, string]>([
    ['is no gateway', '<html>\n'],
    ['ends within a line', '{"_tag":"PastPrice","topic":"svc-0xab","price":1,"at":5}\n{"_tag":"Pa'],
  ])('is a DecodeError for a response that %s', async (_, body) => {
    const url = await startHttpServer((_request, response) => response.end(body))
    const events = await eventsOf(openHistory(url).prices$(topic, { from: 0 }))
    expect(events.at(-1)).toMatchObject({ left: { _tag: 'DecodeError' } })
    expect(isLeft(await openHistory(url).topics()())).toBe(true)
  })

  it('sends the path and the query of the URL, and redacts the key in it', async () => {
    const asked: (string | undefined)[] = []
    const origin = await startHttpServer(({ url }, response) => {
      asked.push(url)
      response.writeHead(500).end(`no ${url}`)
    })
    const history = openHistory(`${origin}/gate/?region=eu-west&key=abcdef123`)
    const [priceError] = await eventsOf(history.prices$(topic, { from: 1, to: 2 }))
    const topicsError = await history.topics()()
    expect(asked).toEqual([
      `/gate/history/${topic}?from=1&to=2&region=eu-west&key=abcdef123`,
      '/gate/history?region=eu-west&key=abcdef123',
    ])
    const body = 'no /gate/history?region=eu-west&key=[redacted]'
    expect(topicsError).toMatchObject({ left: { _tag: 'HttpError', body } })
    expect(JSON.stringify(priceError)).not.toContain('abcdef123')
  })

  it('is an HttpError with the start of the body, also of one that never ends', async () => {
    const url = await startHttpServer((_request, response) => {
      const write = (): unknown =>
        response.destroyed || setImmediate(() => response.write('x'.repeat(1000), write))
      response.writeHead(500)
      write()
      onTestFinished(() => void response.destroy())
    })
    const body = 'x'.repeat(2048)
    expect(await openHistory(url).topics()()).toMatchObject({
      left: { _tag: 'HttpError', status: 500, body },
    })
  })

  it('is a NetworkError without a gateway, and an InvalidRange without a request', async () => {
    const gateway = await serve(newFolder())
    await gateway.close()
    const history = openHistory(gateway.baseUrl)
    expect(await eventsOf(history.prices$(topic, { from: 0 }))).toMatchObject([
      { left: { _tag: 'NetworkError', cause: { code: 'ECONNREFUSED' } } },
    ])
    for (const invalid of [{ from: 1_764_000_000 }, undefined]) {
      expect(await eventsOf(history.prices$(topic, invalid as never))).toMatchObject([
        { left: { _tag: 'InvalidRange' } },
      ])
    }
  })

  it('has what the files have, for any rows and any range', { timeout: 300_000 }, async () => {
    const step = fc.record({
      ms: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 2_000_000 })),
      kind: fc.constantFrom('price', 'price', 'price', 'stale', 'down', 'end', 'restart', 'cut'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.array(fc.tuple(fc.nat({ max: 30_000_000 }), fc.nat({ max: 5_000_000 })), {
          minLength: 1,
          maxLength: 4,
        }),
        async (steps, ranges) => {
          const folder = newFolder()
          let now = 0
          let lines: Line[] = [header(0), priceRow(0, 1)]
          for (const { ms, kind } of steps) {
            now = Math.min(now + ms, 35_000_000)
            if (kind === 'restart' || kind === 'cut') {
              writeRecording(folder, lines, kind === 'cut' ? '{"_tag":"Pr' : '')
              now += 1000
              lines = [header(now), priceRow(now, now + 1)]
            } else if (kind === 'end') lines.push({ _tag: 'End', at: at + now, of: topic })
            else if (kind === 'price') lines.push(priceRow(now, now + 1))
            else {
              const event = left(kind === 'stale' ? stale(topic, 9, undefined) : down)
              lines.push({ _tag: 'Price', at: at + now, topic, event })
            }
          }
          writeRecording(folder, lines)
          const gateway = await serve(folder)
          for (const [from, length] of ranges) {
            const range = { from: at + from, to: Math.min(at + from + length, Date.now()) }
            expect(await eventsOf(openHistory(gateway.baseUrl).prices$(topic, range))).toEqual(
              await eventsOf(openHistory(recordingsIn(folder)).prices$(topic, range)),
            )
          }
          const [remote, local] = [openHistory(gateway.baseUrl), openHistory(recordingsIn(folder))]
          expect(await remote.topics()()).toEqual(await local.topics()())
          await gateway.close()
        },
      ),
      { numRuns: caseCount(400) },
    )
  })
})
