import { request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import type { Health } from '../../../src/view/connection.js'
import { startDashboard, type DashboardServer } from '../../../src/dashboard/server/start-dashboard.js'
import { eventually } from '../../support/time/eventually.js'
import { TestMarket } from '../support/test-market.js'
import { configOf } from '../support/config-of.js'
import { servedEvents } from '../support/served-events.js'
import { config } from '../support/tokens.js'

const files = { html: '<head></head>', style: 'body{}', script: '1' }

/** With a text that must not become HTML. */
const hostile = { ...config, label: '</script><b>$&' }

const market = new TestMarket()
const started: Promise<DashboardServer> = startDashboard(market.client, {
  port: 0,
  closedReason: 'the recording has ended',
  files,
  config: hostile,
})

afterAll(async () => (await started).close())

/** The status of a request with these headers, and of another method. */
const statusOf = async (headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> => {
  const { url } = await started
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

const get = async (path: string): Promise<Response> => fetch(new URL(path, (await started).url))

describe('startDashboard', () => {
  it('serves the page with its configuration, and its files', async () => {
    const [page, style, script] = await Promise.all(
      ['/', '/main.css', '/main.js'].map(async (path) => {
        const response = await get(path)
        return [response.headers.get('content-type'), await response.text()]
      }),
    )
    expect(page?.[0]).toBe('text/html; charset=utf-8')
    // A text of the configuration ends no element.
    expect(page?.[1]?.split('</')).toHaveLength(3)
    expect(configOf(page?.[1] ?? '')).toMatchObject(hostile)
    expect(style).toEqual(['text/css; charset=utf-8', files.style])
    expect(script).toEqual(['text/javascript; charset=utf-8', files.script])
  })

  it('has a content security policy without inline scripts, styles and other hosts', async () => {
    const { url } = await started
    const policy = (await get('/')).headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain(`connect-src 'self' ${url.replace('http', 'ws').replace(/\/$/, '')} `)
    expect(policy).not.toContain('unsafe')
  })

  it('refuses requests with another Host or Origin, and other methods', async () => {
    const { host, origin } = new URL((await started).url)
    expect(await statusOf({ host })).toBe(200)
    expect(await statusOf({ host, origin })).toBe(200)
    expect(await statusOf({ host: 'prices.example' })).toBe(403)
    expect(await statusOf({ host, origin: 'https://prices.example' })).toBe(403)
    expect(await statusOf({ host }, 'POST')).toBe(405)
  })

  it('serves no other path', async () => {
    const paths = ['/package.json', '/main.js/', '/constructor', '/__proto__', '/%2e%2e/package.json']
    const responses = await Promise.all(paths.map(get))
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 404))
  })

  it('reports why the service is lost, and how far behind its prices are', async () => {
    const { url } = await started
    const { pageId } = configOf(await (await get('/')).text())
    const { events, allOf } = servedEvents(url)
    const expectHealth = (health: Health) =>
      eventually(() => expect(allOf('Health').at(-1)?.health).toEqual(health))
    await expectHealth({ _tag: 'Up' })
    expect(events[0]).toEqual({ _tag: 'Page', pageId })
    market.disconnect('connection refused')
    await expectHealth({ _tag: 'Down', reason: 'connection refused' })
    market.connect()
    await expectHealth({ _tag: 'Up' })
    market.fallBehind(5234)
    await expectHealth({ _tag: 'Up', behindMs: 5234 })
    market.catchUp()
    await expectHealth({ _tag: 'Up' })
    await market.client.close()
    await expectHealth({ _tag: 'Down', reason: 'the recording has ended', isOver: true })
  })
})
