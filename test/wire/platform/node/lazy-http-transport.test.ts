import { describe, expect, it } from 'vitest'
import { Secrets } from '../../../../src/wire/auth/secrets.js'
import { get } from '../../../../src/wire/http/get.js'
import { lazyHttpTransport, node } from '../../../../src/wire/platform/node.js'
import { ResponsiveDeadlines } from '../../../../src/base/time/timers.js'
import { rxClock } from '../../../../src/base/time/clock.js'
import type { HttpResult, HttpRequest, HttpTransport } from '../../../../src/wire/transport/ports.js'
import { unlimited } from '../../http/support/unlimited.js'
import { FakeHttp } from '../../../support/fake-http.js'
import { eventually } from '../../../support/time/eventually.js'
import { runInVirtualTime } from '../../../support/time/virtual-time.js'
import { ManualLoad } from '../../transport/support/manual-load.js'

const requestOf = (path: string): HttpRequest => ({
  origin: 'http://localhost:3000',
  path,
  headers: {},
  maxBodyBytes: 100,
})

const setUp = () => {
  const load = new ManualLoad<HttpTransport>()
  const http = new FakeHttp()
  const transport = lazyHttpTransport(load.start)
  const results: HttpResult[] = []
  const send = (path: string) => transport.get(requestOf(path), (result) => results.push(result))
  return { load, http, transport, results, send }
}

describe('lazyHttpTransport', () => {
  it('loads once, when the first request is sent, and sends the waiting requests in their order', async () => {
    const { load, http, send, results } = setUp()
    expect(load.starts).toBe(0)
    send('/1')
    send('/2')
    expect(load.starts).toBe(1)
    load.succeed(http)
    await eventually(() => expect(http.requests.map(({ path }) => path)).toEqual(['/1', '/2']))
    http.request(2).respond(200, 'two')
    http.request(1).respond(200, 'one')
    expect(results).toMatchObject([{ right: { body: 'two' } }, { right: { body: 'one' } }])
  })

  it('sends a request synchronously after the load', async () => {
    const { load, http, send } = setUp()
    send('/1')
    load.succeed(http)
    await eventually(() => expect(http.requests).toHaveLength(1))
    const abort = send('/2')
    expect(http.request(2).path).toBe('/2')
    abort()
    expect(http.request(2).aborted).toBe(true)
    expect(load.starts).toBe(1)
  })

  it('aborts a request that waited for the load', async () => {
    const { load, http, send } = setUp()
    const abort = send('/1')
    load.succeed(http)
    await eventually(() => expect(http.requests).toHaveLength(1))
    abort()
    expect(http.request(1).aborted).toBe(true)
  })

  it('does not send a request that is aborted during the load', async () => {
    const { load, http, send, results } = setUp()
    const abort = send('/1')
    send('/2')
    abort()
    load.succeed(http)
    await eventually(() => expect(http.requests.map(({ path }) => path)).toEqual(['/2']))
    expect(results).toMatchObject([{ left: { _tag: 'NetworkError', cause: { name: 'AbortError' } } }])
  })

  it('fails each waiting request with a NetworkError if the load fails, and loads again', async () => {
    const { load, http, send, results } = setUp()
    send('/1')
    send('/2')
    load.fail('no such package')
    const failure = { left: { _tag: 'NetworkError', cause: { message: 'no such package' } } }
    await eventually(() => expect(results).toMatchObject([failure, failure]))
    send('/3')
    expect(load.starts).toBe(2)
    load.succeed(http)
    await eventually(() => expect(http.requests.map(({ path }) => path)).toEqual(['/3']))
  })

  it('sends nothing when it is closed during the load, and closes when the load ends', async () => {
    const { load, http, transport, send, results } = setUp()
    send('/1')
    let isClosed = false
    const closed = transport.close().then(() => (isClosed = true))
    await Promise.resolve()
    expect(isClosed).toBe(false)
    load.succeed(http)
    await closed
    expect(results).toMatchObject([{ left: { _tag: 'NetworkError' } }])
    expect(http.requests).toEqual([])
  })

  it('loads nothing when it is closed before its first request, nor for a request after it', async () => {
    const { load, transport, send, results } = setUp()
    await transport.close()
    send('/1')
    await eventually(() => expect(results).toMatchObject([{ left: { _tag: 'NetworkError' } }]))
    expect(load.starts).toBe(0)
  })

  it('closes its transport', async () => {
    const { load, http, transport, send } = setUp()
    send('/1')
    load.succeed(http)
    await eventually(() => expect(http.requests).toHaveLength(1))
    await transport.close()
    expect(http.closeCalls).toBe(1)
  })

  it('counts the load toward requestTimeout, and sends no request that timed out', async () => {
    const { load, http, transport } = setUp()
    const secrets = new Secrets()
    const config = {
      clock: rxClock,
      publish: node.publish,
      limiter: unlimited,
      timeouts: new ResponsiveDeadlines(rxClock, 100),
      maxLag: 5000,
      maxBodyBytes: 100,
      secrets,
    }
    const log: unknown[] = []
    const [origin, host] = ['http://localhost:3000', 'localhost:3000']
    const target = { origin, host, path: '/', route: '/', headers: () => ({}) }
    runInVirtualTime(({ now }) => {
      get({ ...config, http: transport }, target)((result) => log.push([now(), result]))
    })
    expect(log).toMatchObject([[100, { left: { _tag: 'Timeout' } }]])
    load.succeed(http)
    await transport.close()
    expect(http.requests).toEqual([])
  })
})
