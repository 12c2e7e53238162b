import { filter, firstValueFrom } from 'rxjs'
import type { ConnectionStatus } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import type { ResponseHead } from '../../../src/wire/transport/ports.js'
import { disconnectedErrors } from '../../promises/support/collected-prices.js'
import { collectEvents } from '../../support/collect-events.js'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import {
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
} from '../../support/network/scripted-service.js'
import { eventually } from '../../support/time/eventually.js'
import { a } from '../../support/time/marbles.js'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

const refusal = (headers: ResponseHead['headers']): ResponseHead => ({ status: 503, headers })

describe('Retry-After of a refused upgrade', () => {
  it.each([
    ['delays the next dial', { 'retry-after': '7' }, 7000],
    [
      'as a date is compared with the local clock',
      { 'retry-after': 'Thu, 01 Jan 1970 00:00:12 GMT' },
      12_000,
    ],
    [
      'as a date is compared with the Date of the response',
      { 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT', date: 'Thu, 01 Jan 2026 00:00:12 GMT' },
      8000,
    ],
    ['is capped by maxDelay', { 'retry-after': '86400' }, 30_000],
    ['has no effect if it is shorter than the backoff', { 'retry-after': '0' }, 125],
    ['has no effect in the past', { 'retry-after': 'Wed, 31 Dec 1969 00:00:00 GMT' }, 125],
    ['has no effect if it is negative', { 'retry-after': '-5' }, 125],
    ['has no effect if it is invalid', { 'retry-after': 'soon' }, 125],
    ['has no effect if the service sends none', {}, 125],
  ])('%s', (_effect, headers, wait) => {
    const dials: number[] = []
    const announced: number[] = []
    runInVirtualTime(({ now, at }) => {
      const transport = new ManualTransport({ onDial: () => dials.push(now()) })
      const { client } = createManualClient({ connectTimeout: 60_000 }, transport)
      const prices = collectEvents(client.price$(a))
      client.status$.subscribe((status) => status._tag === 'Waiting' && announced.push(status.retryInMs))
      at(0, () => transport.lastSocket.drop(1006, 'refused', refusal(headers)))
      at(40_000, () => {
        announced.push(...disconnectedErrors(prices).map(({ retryInMs }) => retryInMs))
        void client.close()
      })
    })
    expect(dials).toEqual([0, wait])
    expect(announced).toEqual([wait, wait])
  })

  it('is not shortened by subscribers that leave and return', () => {
    const lines: string[] = []
    runInVirtualTime(({ now, at }) => {
      const log = createTimedLog({ now })
      const transport = new ManualTransport({ onDial: () => log.add('dial') })
      const { client } = createManualClient({ linger: 0, connectTimeout: 60_000 }, transport)
      let subscription = client.price$(a).subscribe()
      at(0, () => transport.lastSocket.drop(1006, 'refused', refusal({ 'retry-after': '5' })))
      for (const time of [1000, 2000, 3000]) {
        at(time, () => subscription.unsubscribe())
        at(time + 1, () => (subscription = client.price$(a).subscribe()))
        at(time + 2, () => log.add(JSON.stringify(client.inspect().status)))
      }
      at(6000, () => {
        lines.push(...log.lines)
        void client.close()
      })
    })
    const waiting = (retryInMs: number): string =>
      JSON.stringify({ _tag: 'Waiting', attempt: 1, retryInMs, reason: 'refused' })
    expect(lines).toEqual([
      '0 dial',
      `1002 ${waiting(3999)}`,
      `2002 ${waiting(2999)}`,
      `3002 ${waiting(1999)}`,
      '5000 dial',
    ])
  })

  it('delays one dial alone', () => {
    const dials: number[] = []
    runInVirtualTime(({ now, at }) => {
      const transport = new ManualTransport({ onDial: () => dials.push(now()) })
      const { client } = createManualClient({ connectTimeout: 60_000 }, transport)
      client.price$(a).subscribe()
      at(0, () => transport.lastSocket.drop(1006, 'refused', refusal({ 'retry-after': '7' })))
      at(7001, () => transport.lastSocket.drop(1006, 'refused'))
      at(10_000, () => void client.close())
    })
    expect(dials).toEqual([0, 7000, 7251])
  })

  it.each(['429 Too Many Requests', '503 Service Unavailable', '301 Moved Permanently'])(
    'over a real socket, after %s, delays the next dial',
    async (statusLine) => {
      const service = await startScriptedService({
        onSubscribe: confirmAndSendPrice,
        onUpgrade: (dial, tcpSocket) => {
          if (dial > 1) return false
          tcpSocket.end(`HTTP/1.1 ${statusLine}\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n`)
          return true
        },
      })
      const client = createPriceClient(service.url, { reconnect: { initialDelay: 1, maxDelay: 30_000 } })
      const isWaiting = (status: ConnectionStatus) => status._tag === 'Waiting'
      const waiting = firstValueFrom(client.status$.pipe(filter(isWaiting)))
      const prices = collectEvents(client.price$(a))
      await eventually(() => expect(prices.values()).toHaveLength(1))
      expect(await waiting).toMatchObject({ retryInMs: 1000 })
      expect(disconnectedErrors(prices)).toMatchObject([
        { code: 1006, reason: `Unexpected server response: ${statusLine.slice(0, 3)}`, retryInMs: 1000 },
      ])
      // A lower bound: a loaded machine only waits longer. The client starts to wait after the refusal.
      const [first = 0, second = 0] = service.dialTimes
      expect(second - first).toBeGreaterThanOrEqual(998)
    },
  )
})
