import { describe, expect, it } from 'vitest'
import { Secrets } from '../../../../src/wire/auth/secrets.js'
import { get } from '../../../../src/wire/http/get.js'
import { node } from '../../../../src/wire/platform/node.js'
import { importUndici, type UndiciPackage } from '../../../../src/wire/transport/packages.js'
import { ResponsiveDeadlines } from '../../../../src/base/time/responsive-deadlines.js'
import { rxClock } from '../../../../src/base/time/rx-clock.js'
import type { HttpResult } from '../../../../src/wire/transport/ports.js'
import { unlimited } from '../../http/support/unlimited.js'
import { startHttpServer } from '../../../support/network/servers.js'
import { eventually } from '../../../support/time/eventually.js'
import { runInVirtualTime } from '../../../support/time/virtual-time.js'
import { ManualLoad } from '../support/manual-load.js'
import { requestOf, transportOf } from './support/requests.js'

const undici = await importUndici()

const setUp = async () => {
  const load = new ManualLoad<UndiciPackage>()
  const transport = transportOf({}, load.start)
  const results: HttpResult[] = []
  const arrived: (string | undefined)[] = []
  const origin = await startHttpServer((request, response) => {
    arrived.push(request.url)
    response.end(request.url)
  })
  const send = (path: string) => transport.get(requestOf(origin, { path }), (result) => results.push(result))
  return { load, transport, results, arrived, origin, send }
}

describe('the load of undici', () => {
  it('starts once, with the first request, and the requests that wait for it are then sent', async () => {
    const { load, send, results } = await setUp()
    expect(load.starts).toBe(0)
    send('/1')
    send('/2')
    expect(load.starts).toBe(1)
    load.succeed(undici)
    await eventually(() => expect(results).toHaveLength(2))
    send('/3')
    await eventually(() => expect(results).toHaveLength(3))
    expect(results).toMatchObject(['/1', '/2', '/3'].map((body) => ({ right: { body } })))
    expect(load.starts).toBe(1)
  })

  it('sends no request that was aborted meanwhile', async () => {
    const { load, send, results, arrived } = await setUp()
    const abort = send('/1')
    send('/2')
    abort()
    load.succeed(undici)
    await eventually(() => expect(results).toHaveLength(2))
    expect(results).toMatchObject([{ left: { _tag: 'NetworkError', cause: { name: 'AbortError' } } }, {}])
    expect(arrived).toEqual(['/2'])
  })

  it('fails each request that waits for it, and is repeated by the next request', async () => {
    const { load, send, results } = await setUp()
    send('/1')
    send('/2')
    load.fail('no such package')
    const failure = { left: { _tag: 'NetworkError', cause: { message: 'no such package' } } }
    await eventually(() => expect(results).toMatchObject([failure, failure]))
    send('/3')
    expect(load.starts).toBe(2)
    load.succeed(undici)
    await eventually(() => expect(results[2]).toMatchObject({ right: { body: '/3' } }))
  })

  it('sends nothing after close()', async () => {
    const { load, transport, send, results, arrived } = await setUp()
    send('/1')
    await transport.close()
    load.succeed(undici)
    await eventually(() => expect(results).toMatchObject([{ left: { _tag: 'NetworkError' } }]))
    expect(arrived).toEqual([])
  })

  it('counts toward requestTimeout, and a request that timed out is not sent', async () => {
    const { load, transport, send, results, arrived, origin } = await setUp()
    const config = {
      clock: rxClock,
      publish: node.publish,
      limiter: unlimited,
      timeouts: new ResponsiveDeadlines(rxClock, 100),
      maxLag: 5000,
      maxBodyBytes: 100,
      secrets: new Secrets(),
    }
    const log: unknown[] = []
    const target = { origin, path: '/', route: '/', headers: () => ({}) }
    runInVirtualTime(({ now }) => {
      get({ ...config, http: transport }, target)((result) => log.push([now(), result]))
    })
    expect(log).toMatchObject([[100, { left: { _tag: 'Timeout' } }]])
    send('/2')
    load.succeed(undici)
    await eventually(() => expect(results).toHaveLength(1))
    expect(arrived).toEqual(['/2'])
  })
})
