import { left, right } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { describe, expect, it, vi } from 'vitest'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import { get } from '../../../src/wire/http/get.js'
import { RequestLimiter } from '../../../src/wire/http/request-limiter.js'
import { node } from '../../../src/wire/platform/node.js'
import { fromTask$ } from '../../../src/base/task/cancellable-task.js'
import { ResponsiveDeadlines } from '../../../src/base/time/timers.js'
import { rxClock } from '../../../src/base/time/clock.js'
import type { HttpTransport } from '../../../src/wire/transport/ports.js'
import { FakeHttp } from '../../support/fake-http.js'
import { leftWith, marbles } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { unlimited } from './support/unlimited.js'

const headers = { name: 'value' }
const request = { origin: 'https://host:3000', path: '/path?query' }
const target = { ...request, host: 'host:3000', route: '/path', headers: () => headers }
const limits = {
  clock: rxClock,
  publish: node.publish,
  limiter: unlimited,
  /** Of each copy: the clock of a test may be virtual. */
  get timeouts() {
    return new ResponsiveDeadlines(rxClock, 100)
  },
  maxLag: 5000,
  maxBodyBytes: 4096,
  secrets: new Secrets(),
}
const timeout = leftWith({ _tag: 'Timeout', afterMs: 100 })

describe('get', () => {
  it('sends one request to the target each time the task runs', async () => {
    const http = new FakeHttp()
    const source$ = fromTask$(get({ http, ...limits }, target))
    expect(http.requests).toHaveLength(0)
    const results = [firstValueFrom(source$), firstValueFrom(source$)]
    http.request(1).respond(200, 'one')
    http.request(2).respond(404, 'two')
    expect(await Promise.all(results)).toMatchObject([
      { right: { response: { body: 'one' } } },
      { right: { response: { status: 404 } } },
    ])
    expect(http.requests).toMatchObject([
      { ...request, headers },
      { ...request, headers },
    ])
    expect(http.request(1).maxBodyBytes).toBe(4096)
  })

  it('passes a request that can be cloned to a transport that may pass it to a worker', async () => {
    const http: HttpTransport = {
      get: (cloned, onResult) => {
        onResult(right({ status: 200, headers: {}, body: structuredClone(cloned).path }))
        return () => undefined
      },
      close: () => Promise.resolve(),
    }
    expect(await firstValueFrom(fromTask$(get({ http, ...limits }, target)))).toMatchObject({
      right: { response: { body: request.path } },
    })
  })

  it('emits one value and completes', async () => {
    const http = new FakeHttp()
    const events: string[] = []
    fromTask$(get({ http, ...limits }, target)).subscribe({
      next: (result) => events.push(result._tag),
      complete: () => events.push('complete'),
    })
    http.request(1).respond(200, '')
    await vi.waitFor(() => expect(events).toEqual(['Right', 'complete']))
  })

  it('returns Timeout and aborts the request after requestTimeout', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(get({ http, ...limits }, target))).toBe('100ms (t|)', { t: timeout })
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('returns Timeout not before requestTimeout, if that exceeds the maximum of a platform timer', () => {
    const requestTimeout = 2 ** 31 + 5
    const timeouts = new ResponsiveDeadlines(rxClock, requestTimeout)
    const http = new FakeHttp()
    let results = 0
    runInVirtualTime(
      ({ at }) => {
        fromTask$(get({ http, ...limits, timeouts }, target)).subscribe(() => results++)
        at(requestTimeout - 1, () => expect(results).toBe(0))
      },
      { endsAt: requestTimeout },
    )
    expect(results).toBe(1)
  })

  it('aborts the request and clears its timer when it is cancelled', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(get({ http, ...limits }, target)), '^--!').toBe('')
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('leaves no timer after the response', async () => {
    vi.useFakeTimers()
    try {
      const http = new FakeHttp()
      const result = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
      http.request(1).respond(200, '')
      await result
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('ignores a result that arrives after it is cancelled', async () => {
    const http = new FakeHttp()
    const results: unknown[] = []
    const subscription = fromTask$(get({ http, ...limits }, target)).subscribe((result) =>
      results.push(result),
    )
    subscription.unsubscribe()
    http.request(1).fail(new Error('aborted'))
    const second = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(2).respond(200, '')
    await second
    expect(results).toEqual([])
  })

  it('returns an error of the transport unchanged', async () => {
    const http = new FakeHttp()
    const result = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(1).fail(new Error('refused'))
    expect(await result).toMatchObject(left({ _tag: 'NetworkError', message: 'no response: refused' }))
  })

  it('returns NetworkError when the transport throws', async () => {
    const http = new FakeHttp()
    http.thrownByGet = new Error('transport')
    expect(await firstValueFrom(fromTask$(get({ http, ...limits }, target)))).toEqual(
      leftWith({ _tag: 'NetworkError', cause: { name: 'Error', message: 'transport', code: undefined } }),
    )
  })

  it('does not abort a request after its response', async () => {
    const http = new FakeHttp()
    const result = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(1).respond(200, '')
    await result
    expect(http.request(1).aborted).toBe(false)
  })

  it('returns a response that the transport delivers synchronously', async () => {
    const abort = vi.fn()
    const http: HttpTransport = {
      get: (_, onResponse) => {
        onResponse(right({ status: 200, headers: {}, body: 'quick' }))
        return abort
      },
      close: () => Promise.resolve(),
    }
    expect(await firstValueFrom(fromTask$(get({ http, ...limits }, target)))).toMatchObject({
      right: { response: { body: 'quick' } },
    })
    expect(abort).not.toHaveBeenCalled()
  })

  it('gives the place of a request to the next one although the transport throws when it aborts', () => {
    runInVirtualTime(({ at }) => {
      let requests = 0
      const http: HttpTransport = {
        get: () => {
          requests++
          return () => {
            throw new Error('secret')
          }
        },
        close: () => Promise.resolve(),
      }
      const limiter = new RequestLimiter({
        clock: rxClock,
        maxRequestsPerSecond: 9,
        maxConcurrentRequests: 1,
      })
      const task = get({ http, ...limits, limiter }, target)
      const results: unknown[] = []
      const cancel = task((result) => results.push(result))
      for (let each = 0; each < 2; each++) task((result) => results.push(result))
      at(10, cancel)
      at(60_000, () => {
        expect(requests).toBe(3)
        expect(results).toMatchObject([{ left: { _tag: 'Timeout' } }, { left: { _tag: 'Timeout' } }])
      })
    })
  })
})

describe('depth$ over a transport in plain JavaScript', () => {
  const clientOver = (get: (onResult: (result: unknown) => void) => unknown) =>
    createClient({
      environment: 'mainnet',
      priceBaseUrl: 'http://localhost',
      baseUrl: 'http://localhost',
      authKey: 'AAAA',
      requestTimeout: 20,
      http: { get: (_, onResult) => get(onResult as never), close: () => Promise.resolve() } as HttpTransport,
    })

  it('emits Timeout if `get` returns no function', async () => {
    await using client = clientOver(() => undefined)
    const event = await new Promise((resolve) => client.depth$('0xab', 1000).subscribe(resolve))
    expect(event).toMatchObject(left({ _tag: 'Timeout' }))
  })
})
