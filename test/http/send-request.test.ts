import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkError } from '../../src/errors/constructors.js'
import { depthRequest } from '../../src/http/depth-request.js'
import { sendRequest } from '../../src/http/send-request.js'
import { fromTask$ } from '../../src/task/cancellable-task.js'
import type { HttpAnswer, HttpRequest, HttpTransport } from '../../src/transport/ports.js'
import { depthBody, FakeHttp } from '../support/fake-http.js'
import { leftWith } from '../support/time/marbles.js'
import { runInVirtualTime } from '../support/time/virtual-time.js'
import {
  expectedSignature,
  expirationOf,
  fakeWallClock,
  mint,
  signatureOf,
  signedGetOf,
  untilRequested,
} from './support/signed-get.js'

const clock = fakeWallClock()
const request: HttpRequest = { origin: 'http://host:3000', path: '/path', headers: {}, maxBodyBytes: 9 }

/** Sends a request. Returns its results, and the function that aborts it. */
const send = (http: HttpTransport, createRequest = () => request) => {
  const results: HttpAnswer[] = []
  const abort = sendRequest(http, createRequest, (result) => results.push(result))
  return { results, abort }
}

/** Collects the messages of the channel. */
const collectRepeats = (onMessage: () => void = () => undefined): readonly unknown[] => {
  const messages: unknown[] = []
  const listener = (message: unknown): void => {
    messages.push(message)
    onMessage()
  }
  subscribe('svc-streams:repeated', listener)
  onTestFinished(() => void unsubscribe('svc-streams:repeated', listener))
  return messages
}

describe('sendRequest', () => {
  it('repeats a lost request once, on a new connection, and publishes it', () => {
    const http = new FakeHttp()
    const messages = collectRepeats()
    const { results } = send(http)
    expect(http.request(1).newConnection).toBeUndefined()
    http.request(1).lose()
    expect(results).toEqual([])
    expect(http.requests).toMatchObject([request, { ...request, newConnection: true }])
    http.request(2).respond(200, 'ok')
    expect(results).toMatchObject([right({ body: 'ok' })])
    expect(messages).toEqual([{ host: 'host:3000' }])
  })

  it('returns the error of the second request, which it does not repeat', () => {
    const http = new FakeHttp()
    const messages = collectRepeats()
    const { results } = send(http)
    http.request(1).lose()
    http.request(2).lose()
    expect(results).toMatchObject([leftWith({ _tag: 'NetworkError' })])
    expect(http.requests).toHaveLength(2)
    expect(messages).toHaveLength(1)
  })

  it('does not repeat a request that failed otherwise', () => {
    const http = new FakeHttp()
    const messages = collectRepeats()
    const { results } = send(http)
    http.request(1).fail(new Error('refused'))
    expect(results).toEqual([leftWith({ _tag: 'NetworkError' })])
    expect(http.requests).toHaveLength(1)
    expect(messages).toEqual([])
  })

  it('aborts the second request', () => {
    const http = new FakeHttp()
    const { abort } = send(http)
    http.request(1).lose()
    abort()
    expect(http.request(2).aborted).toBe(true)
  })

  it('sends no second request after an abort, by a subscriber of the channel too', () => {
    const http = new FakeHttp()
    const aborted = send(http)
    aborted.abort()
    http.request(1).lose()
    collectRepeats(() => second.abort())
    const second = send(http)
    http.request(2).lose()
    expect(http.requests).toHaveLength(2)
    expect(second.results).toEqual([])
  })

  it('returns NetworkError if the second request cannot be created', () => {
    const http = new FakeHttp()
    let created = 0
    const { results } = send(http, () => {
      created += 1
      if (created === 2) throw new Error('canonicalHeaders')
      return request
    })
    http.request(1).lose()
    expect(results).toEqual([left(networkError(new Error('canonicalHeaders')))])
  })

  it('repeats a request that the transport loses synchronously', () => {
    let requests = 0
    const http: HttpTransport = {
      get: (_request, onResult) => {
        requests += 1
        onResult(left(networkError(new Error('closed'))), true)
        return () => undefined
      },
      close: () => Promise.resolve(),
    }
    expect(send(http).results).toHaveLength(1)
    expect(requests).toBe(2)
  })
})

describe('a repeated request', () => {
  it('is signed again', async () => {
    const { signedGet, http } = signedGetOf()
    const result = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    clock.now += 3000
    http.request(1).lose()
    await untilRequested(http, 2)
    expect(expirationOf(http, 2)).toBe(expirationOf(http, 1) + 3000)
    expect(signatureOf(http, 2)).toBe(expectedSignature(http.request(2).path, expirationOf(http, 2)))
    http.request(2).respond(200, depthBody())
    expect(await result).toMatchObject({ right: { mint } })
  })

  it('has both signatures redacted from its error', async () => {
    const { signedGet, http } = signedGetOf()
    const result = firstValueFrom(fromTask$(depthRequest(signedGet, mint)))
    clock.now += 1
    http.request(1).lose()
    await untilRequested(http, 2)
    http.request(2).respond(500, `${signatureOf(http, 1)} ${signatureOf(http, 2)}`)
    const event = await result
    expect(isLeft(event)).toBe(true)
    for (const number of [1, 2]) expect(JSON.stringify(event)).not.toContain(signatureOf(http, number))
  })

  it('ends with the timeout of the first request', () => {
    const { signedGet, http } = signedGetOf()
    const events: unknown[] = []
    runInVirtualTime(
      ({ at }) => {
        fromTask$(depthRequest(signedGet, mint)).subscribe((event) => events.push(event))
        at(60, () => http.request(1).lose())
        at(99, () => expect(events).toEqual([]))
      },
      { endsAt: 100 },
    )
    expect(events).toEqual([leftWith({ _tag: 'Timeout', afterMs: 100 })])
    expect(http.request(2).aborted).toBe(true)
  })
})
