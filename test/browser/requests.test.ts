import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { findUnusedPort, startHttpServer } from '../support/network/servers.js'
import { authKey, fastMarket, startTestSimulator } from '../support/simulator.js'
import { ethTopic, weth } from '../support/tokens.js'
import { openPage, type PageScope } from './support/page.js'

const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }

/** The result of one price request of a page to a server. */
const priceFrom = async (
  respond: (response: ServerResponse) => void,
  options: object = {},
): Promise<unknown> => requestPrice(await startHttpServer((_request, response) => respond(response)), options)

const requestPrice = async (origin: string, options: object = {}): Promise<unknown> => {
  const page = await openPage()
  return page.evaluate(
    ([priceBaseUrl, topic, more]) => {
      const { svcStreams } = globalThis as unknown as PageScope
      return svcStreams.createClient({ environment: 'testnet', priceBaseUrl, ...more }).price(topic)()
    },
    [origin, ethTopic, options] as const,
  )
}

describe('a request of a page', () => {
  it('returns a price', async () => {
    const { priceBaseUrl } = await startTestSimulator({ ...fastMarket, cors: true })
    expect(await requestPrice(priceBaseUrl)).toEqual({
      _tag: 'Right',
      right: expect.objectContaining({ topic: ethTopic, epoch: 0 }) as unknown,
    })
  })

  it.each<[string, string, (response: ServerResponse) => void, object]>([
    ['NetworkError', 'a response without CORS headers', (response) => response.writeHead(200).end('1'), {}],
    [
      'NetworkError',
      'a redirect',
      (response) => response.writeHead(302, { ...cors, Location: '/' }).end(),
      {},
    ],
    ['NetworkError', 'a reset connection', (response) => response.destroy(), {}],
    ['HttpError', 'status 404', (response) => response.writeHead(404, cors).end('no such token'), {}],
    ['DecodeError', 'a negative price', (response) => response.writeHead(200, cors).end('-1'), {}],
    [
      'DecodeError',
      'a body above maxBodyBytes',
      (response) => response.writeHead(200, cors).end('1'.repeat(200)),
      { maxBodyBytes: 100 },
    ],
    ['Timeout', 'no response', () => undefined, { requestTimeout: 100 }],
  ])('returns %s for %s', async (tag, _what, respond, options) => {
    expect(await priceFrom(respond, options)).toMatchObject({ _tag: 'Left', left: { _tag: tag } })
  })

  it('returns NetworkError if nothing listens', async () => {
    const result = await requestPrice(`http://127.0.0.1:${await findUnusedPort()}`)
    expect(result).toMatchObject({ left: { _tag: 'NetworkError' } })
  })

  it('sees the Retry-After header, and the Date header that corrects the clock', async () => {
    const dated = await startTestSimulator({
      ...fastMarket,
      cors: true,
      authKey,
      faults: { clockOffset: 3_600_000 },
    })
    const page = await openPage()
    const result = await page.evaluate(
      ([options, mint]) => {
        const { svcStreams } = globalThis as unknown as PageScope
        return svcStreams
          .createClient(options)
          .depth(mint)()
          .then((event) => event._tag)
      },
      [{ environment: 'mainnet', ...urlsOf(dated), authKey, allowBrowserKey: true }, weth] as const,
    )
    expect(result).toBe('Right')
    expect(
      await priceFrom((response) => {
        response.writeHead(429, { ...cors, 'Access-Control-Expose-Headers': '*', 'Retry-After': '3' }).end()
      }),
    ).toMatchObject({ left: { _tag: 'HttpError', retryAfterMs: 3000 } })
  })
})

const urlsOf = ({ baseUrl, priceBaseUrl }: { readonly baseUrl: string; readonly priceBaseUrl: string }) => ({
  baseUrl,
  priceBaseUrl,
})
