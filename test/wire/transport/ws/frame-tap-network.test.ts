import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { createSelfSignedCertificate, type KeyAndCertificate } from '../../../support/network/certificate.js'
import { startTcpServer, startWebSocketServer } from '../../../support/network/servers.js'
import { dialWithPrices, topicCount } from './support/dial-with-prices.js'
import { priceText, text } from './support/frames.js'

const partition = <T>(
  all: readonly T[],
  predicate: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] => [all.filter(predicate), all.filter((item) => !predicate(item))]

describe('a socket that does not open', () => {
  const status = (line: string): string => `HTTP/1.1 ${line}\r\n\r\n`
  const price = text('{"topic":"svc-0xa","price":1}')

  it.each([
    ['is rejected with a body', status('503 Busy')],
    ['gets status 200', status('200 OK')],
    ['gets a redirect', 'HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n'],
    ['gets no upgrade headers', status('101 Yes')],
    ['gets no Connection header', 'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\n\r\n'],
    ['gets no Upgrade header', 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\n\r\n'],
    [
      'gets no Sec-WebSocket-Accept header',
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['gets status 100', status('100 Continue')],
    ['gets bytes that are not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ])('emits no text if the upgrade %s', async (_case, response) => {
    const port = await startTcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(response), price, price])))
    })
    const { recorded } = dialWithPrices(`ws://127.0.0.1:${port}`)
    await recorded.whenClosed
    expect(recorded.events.map(([what]) => what)).toEqual(['closed'])
  })
})

describe('a FrameTap over real sockets', { timeout: 60_000 }, () => {
  const count = 50_000

  /** Sends mostly prices, mixed with every other kind of frame, and few pings, because `ws` limits the pings in one read. */
  const sendTo = (peer: WebSocket): void => {
    for (let index = 1; index <= count; index++) {
      peer.send(priceText(`svc-0x${index % topicCount}`, `${index}`))
      if (index % 97 === 0) peer.send(`other ${index}`)
      if (index % 101 === 0) peer.send(Buffer.of(index & 255))
      if (index % 1009 === 0) peer.ping()
      if (index % 107 === 0) peer.send(`first ${index}`, { fin: false })
      if (index % 107 === 0) peer.send(' second', { fin: true })
    }
    peer.close(1000, 'done')
  }

  const expected = (): readonly unknown[] => {
    const events: unknown[] = [['opened']]
    for (let index = 1; index <= count; index++) {
      events.push(['text', priceText(`svc-0x${index % topicCount}`, `${index}`)])
      if (index % 97 === 0) events.push(['text', `other ${index}`])
      if (index % 101 === 0) events.push(['binary', [index & 255]])
      if (index % 107 === 0) events.push(['text', `first ${index} second`])
    }
    return [...events, ['closed', 1000, 'done']]
  }

  it.each<[string, KeyAndCertificate | undefined]>([
    ['TCP', undefined],
    ['TLS', createSelfSignedCertificate()],
  ])(
    'delivers 50 000 prices in order, mixed with other frames, most of them in place: %s',
    async (_name, certificate) => {
      const { url } = await startWebSocketServer(sendTo, { certificate })
      const { recorded, inPlaceCount } = dialWithPrices(url, certificate?.cert)
      await recorded.whenClosed
      // The tap reports a fragment when it reads it, possibly before `ws` has emitted earlier events.
      const [alive, others] = partition(recorded.events, ([what]) => what === 'alive')
      expect(others).toEqual(expected())
      expect(alive).toHaveLength(Math.floor(count / 1009) + Math.floor(count / 107))
      expect(inPlaceCount()).toBeGreaterThan(count / 2)
    },
  )
})
