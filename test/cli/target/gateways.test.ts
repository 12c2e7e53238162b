import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { Gateways } from '../../../src/cli/target/gateways.js'
import type { HttpResult } from '../../../src/wire/transport/ports.js'
import { FakeHttp } from '../../support/fake-http.js'
import { findUnusedPort, startHttpServer } from '../../support/network/servers.js'

const start = (urls: readonly [string, ...string[]]) => {
  const http = new FakeHttp()
  const transport = new Gateways(urls).transport(http)
  const results: HttpResult[] = []
  const { origin, pathname, search } = new URL(urls[0])
  const get = (resource: string): (() => void) => {
    const path = pathname.replace(/\/$/, '') + resource + search
    return transport.get({ origin, path, headers: {}, maxBodyBytes: 1000 }, (result) => results.push(result))
  }
  const sent = () => http.requests.map((request) => request.origin + request.path)
  return { http, get, sent, results, transport }
}

const statusOf = (result: Either<unknown, { readonly status: number }> | undefined) =>
  result === undefined || isLeft(result) ? undefined : result.right.status

const [a, b] = ['http://a.example', 'http://b.example'] as const

describe('requests to several gateways', () => {
  it('go to the next gateway when one gives no response, and stay there', () => {
    const { http, get, sent, results } = start([a, b])
    get('/1')
    http.request(1).fail(new Error('connect ECONNREFUSED'))
    http.request(2).respond(200, '')
    get('/2')
    http.request(3).respond(200, '')
    expect(sent()).toEqual([`${a}/1`, `${b}/1`, `${b}/2`])
    expect(results.map(statusOf)).toEqual([200, 200])
    get('/3')
    http.request(4).fail(new Error('read ECONNRESET'))
    expect(sent().at(-1)).toBe(`${a}/3`)
  })

  it('at the same time change to the next gateway once', () => {
    const { http, get, sent } = start([a, b, 'http://c.example'])
    get('/1')
    get('/2')
    http.request(1).fail(new Error())
    http.request(2).fail(new Error())
    get('/3')
    expect(sent().slice(2)).toEqual([`${b}/1`, `${b}/2`, `${b}/3`])
  })

  it('stay at a gateway that answers with an error', () => {
    const { http, get, sent, results } = start([a, b])
    get('/1')
    http.request(1).respond(502, '')
    get('/2')
    expect(sent()).toEqual([`${a}/1`, `${a}/2`])
    expect(results.map(statusOf)).toEqual([502])
  })

  it('fail when no gateway gives a response', () => {
    const { http, get, results } = start([a, b])
    get('/1')
    http.request(1).fail(new Error('one'))
    expect(results).toEqual([])
    http.request(2).fail(new Error('two'))
    expect(results).toMatchObject([{ left: { _tag: 'NetworkError', cause: { message: 'two' } } }])
    expect(http.requests).toHaveLength(2)
  })

  it('are repeated by the client at the same gateway when a reused connection was closed', () => {
    const { http, get, sent, results } = start([a, b])
    get('/1')
    http.request(1).lose()
    get('/1')
    expect(sent()).toEqual([`${a}/1`, `${a}/1`])
    expect(results).toHaveLength(1)
  })

  it('are not sent on after an abort, and later ones go to another gateway than the silent one', () => {
    const { http, get, sent } = start([a, b])
    get('/1')()
    expect(http.request(1).aborted).toBe(true)
    http.request(1).fail(new Error('aborted'))
    get('/2')
    http.request(2).fail(new Error())
    expect(sent()).toEqual([`${a}/1`, `${b}/2`, `${a}/2`])
    get('/3')()
    expect(http.requests.map(({ aborted }) => aborted)).toEqual([true, false, false, true])
  })

  it('abort the request at the second gateway', () => {
    const { http, get } = start([a, b])
    const abort = get('/1')
    http.request(1).fail(new Error())
    abort()
    expect(http.request(2).aborted).toBe(true)
  })

  it('go to gateways with the same path and query alone', () => {
    const { http, get, sent } = start([`${a}/x/?token=1`, `${b}/y?token=1`, 'http://c.example/x?token=1'])
    get('/1')
    http.request(1).fail(new Error())
    expect(sent()).toEqual([`${a}/x/1?token=1`, 'http://c.example/x/1?token=1'])
  })
})

describe('fetch from several gateways', () => {
  const signal = () => new AbortController().signal

  it('goes to the next gateway when one cannot be reached, with its path and query, and stays there', async () => {
    const paths: string[] = []
    const origin = await startHttpServer((request, response) => {
      paths.push(request.url ?? '')
      response.end()
    })
    const dead = `http://127.0.0.1:${await findUnusedPort()}`
    const { fetch } = new Gateways([`${dead}/x?token=1`, `${origin}/x/?token=1`])
    for (const path of ['/x/history?token=1', '/x/history/t?from=1&token=1']) {
      expect((await fetch(dead + path, { redirect: 'error', signal: signal() })).status).toBe(200)
    }
    expect(paths).toEqual(['/x/history?token=1', '/x/history/t?from=1&token=1'])
  })

  it('fails when no gateway can be reached', async () => {
    const urls = [await findUnusedPort(), await findUnusedPort()].map((port) => `http://127.0.0.1:${port}`)
    const [first = '', second = ''] = urls
    const { fetch } = new Gateways([first, second])
    await expect(fetch(first, { redirect: 'error', signal: signal() })).rejects.toThrow()
  })
})
