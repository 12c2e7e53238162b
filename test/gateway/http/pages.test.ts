import { createTestClient, depth } from 'svc-streams/testing'
import { of } from 'rxjs'
import { expect, it } from 'vitest'
import type { GatewayInternals } from '../../../src/gateway/run-gateway.js'
import { depthPath } from '../../support/network/signed-request.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { getRaw } from '../support/raw-request.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const pages: GatewayInternals['pages'] = (path) =>
  path === '/'
    ? {
        status: 200,
        headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'self'" },
        body: Buffer.from('<p>é</p>'),
      }
    : undefined

const client = createTestClient({ depths: { [weth]: of(depth(weth)) } })

it('answers a GET request for a page, with its headers and its bytes', async () => {
  const { baseUrl } = await startTestGateway(client, {}, { pages })
  const response = await fetch(`${baseUrl}/?theme=dark`)
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Security-Policy')).toBe("default-src 'self'")
  expect(response.headers.get('Content-Length')).toBe('9')
  expect(await response.text()).toBe('<p>é</p>')
})

it('answers other methods with 405, and other paths as without pages', async () => {
  const { baseUrl } = await startTestGateway(client, {}, { pages })
  expect((await fetch(baseUrl, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${baseUrl}/other`)).status).toBe(404)
  expect((await fetch(baseUrl + depthPath(weth))).status).toBe(200)
})

it('gives a page to no other Host and no other Origin', async () => {
  const { baseUrl } = await startTestGateway(client, {}, { pages })
  const own = `Host: ${new URL(baseUrl).host}`
  expect((await getRaw(baseUrl, '/', ['Host: evil.example'])).status).toBe(403)
  expect((await getRaw(baseUrl, '/', [own, 'Origin: https://evil.example'])).status).toBe(403)
  expect((await getRaw(baseUrl, '/', [own, `Origin: ${baseUrl}`])).status).toBe(200)
})

it('answers with the result of a task, and cancels it when the consumer leaves', async () => {
  let [asked, cancelled] = [0, 0]
  const { baseUrl } = await startTestGateway(
    client,
    {},
    {
      pages: (path) => (onResult) => {
        asked += 1
        if (path === '/now') onResult({ status: 200, headers: {}, body: 'now' })
        return () => (cancelled += 1)
      },
    },
  )
  expect(await (await fetch(`${baseUrl}/now`)).text()).toBe('now')
  const leaving = new AbortController()
  const response = fetch(`${baseUrl}/later`, { signal: leaving.signal })
  await eventually(() => asked === 2)
  const before = cancelled
  leaving.abort()
  await expect(response).rejects.toThrow()
  await eventually(() => cancelled > before)
})
