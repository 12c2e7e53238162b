import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import type { Address } from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkError } from '../../../src/base/errors/constructors.js'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import { get, type GetResult } from '../../../src/wire/http/get.js'
import { RequestLimiter } from '../../../src/wire/http/request-limiter.js'
import { node } from '../../../src/wire/platform/node.js'
import { fromTask$ } from '../../../src/base/task/cancellable-task.js'
import { ResponsiveDeadlines } from '../../../src/base/time/timers.js'
import { rxClock } from '../../../src/base/time/clock.js'
import type { HttpTransport } from '../../../src/wire/transport/ports.js'
import { depthBody, FakeHttp } from '../../support/fake-http.js'
import { leftWith } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import {
  expectedSignature,
  expirationOf,
  fakeWallClock,
  mint,
  signatureOf,
  relayerOf,
  untilRequested,
} from './support/relayer.js'
import { unlimited } from './support/unlimited.js'

const clock = fakeWallClock()
const request = { origin: 'http://host:3000', path: '/path' }

/** Sends a request. Returns its results, and the function that aborts it. */
const send = (http: HttpTransport) => {
  const results: GetResult[] = []
  const config = {
    clock: rxClock,
    publish: node.publish,
    limiter: unlimited,
    timeouts: new ResponsiveDeadlines(rxClock, 60_000),
    maxLag: 5000,
    http,
  }
  const task = get(
    { ...config, maxBodyBytes: 9, secrets: new Secrets() },
    { ...request, host: 'host:3000', route: '/path', headers: () => ({}) },
  )
  const abort = task((result) => results.push(result))
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

describe('get', () => {
  it('repeats a lost request once, on a new connection, and publishes it', () => {
    const http = new FakeHttp()
    const messages = collectRepeats()
    const { results } = send(http)
    expect(http.request(1).newConnection).toBe(false)
    http.request(1).lose()
    expect(results).toEqual([])
    expect(http.requests).toMatchObject([request, { ...request, newConnection: true }])
    http.request(2).respond(200, 'ok')
    expect(results).toMatchObject([right({ response: { body: 'ok' } })])
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

describe('get, for a response that is read later than maxLag', () => {
  /** Sends a request in virtual time. `events`: what happens to it, and when. */
  const resultsOf = (events: (http: FakeHttp, at: (ms: number, work: () => void) => void) => void) => {
    const http = new FakeHttp()
    let results: readonly GetResult[] = []
    runInVirtualTime(
      ({ at }) => {
        ;({ results } = send(http))
        events(http, at)
      },
      { endsAt: 30_000 },
    )
    return { results, http }
  }

  it('repeats the request on a new connection', () => {
    const { results, http } = resultsOf((requests, at) => {
      at(5001, () => requests.request(1).respond(200, 'late'))
      at(10_001, () => requests.request(2).respond(200, 'in time'))
    })
    expect(results).toMatchObject([right({ response: { body: 'in time' } })])
    expect(http.requests.map(({ newConnection }) => newConnection)).toEqual([false, true])
  })

  it('returns Timeout the second time', () => {
    const { results, http } = resultsOf((requests, at) => {
      at(5001, () => requests.request(1).respond(200, 'late'))
      at(10_003, () => requests.request(2).respond(200, 'late again'))
    })
    expect(results).toMatchObject([leftWith({ _tag: 'Timeout', afterMs: 5000 })])
    expect(http.requests).toHaveLength(2)
  })

  it('repeats it after a lost request too', () => {
    const { results, http } = resultsOf((requests, at) => {
      at(10, () => requests.request(1).lose())
      at(5011, () => requests.request(2).respond(200, 'late'))
      at(5012, () => requests.request(3).respond(200, 'in time'))
    })
    expect(results).toMatchObject([right({ response: { body: 'in time' } })])
    expect(http.requests.map(({ newConnection }) => newConnection)).toEqual([false, true, true])
  })

  it('returns an error without a repetition', () => {
    const { results, http } = resultsOf((requests, at) => {
      at(9000, () => requests.request(1).fail(new Error('reset')))
    })
    expect(results).toMatchObject([leftWith({ _tag: 'NetworkError' })])
    expect(http.requests).toHaveLength(1)
  })
})

describe('a repeated request', () => {
  it('is signed again', async () => {
    const { relayer, http } = relayerOf()
    const result = firstValueFrom(fromTask$(relayer.depth(mint)))
    clock.now += 3000
    http.request(1).lose()
    await untilRequested(http, 2)
    expect(expirationOf(http, 2)).toBe(expirationOf(http, 1) + 3000)
    expect(signatureOf(http, 2)).toBe(expectedSignature(http.request(2).path, expirationOf(http, 2)))
    http.request(2).respond(200, depthBody())
    expect(await result).toMatchObject({ right: { mint } })
  })

  it('has both signatures redacted from its error', async () => {
    const { relayer, http } = relayerOf()
    const result = firstValueFrom(fromTask$(relayer.depth(mint)))
    clock.now += 1
    http.request(1).lose()
    await untilRequested(http, 2)
    http.request(2).respond(500, `${signatureOf(http, 1)} ${signatureOf(http, 2)}`)
    const event = await result
    expect(isLeft(event)).toBe(true)
    for (const number of [1, 2]) expect(JSON.stringify(event)).not.toContain(signatureOf(http, number))
  })

  it('is a NetworkError if it cannot be signed', async () => {
    let signed = 0
    const { relayer, http } = relayerOf({
      sign: () => {
        signed += 1
        if (signed === 2) throw new Error('canonicalHeaders')
        return {}
      },
    })
    const result = firstValueFrom(fromTask$(relayer.depth(mint)))
    http.request(1).lose()
    expect(await result).toEqual(leftWith({ _tag: 'NetworkError', message: 'no response: canonicalHeaders' }))
    expect(http.requests).toHaveLength(1)
  })

  it('ends with the timeout of the first request', () => {
    const { relayer, http } = relayerOf()
    const events: unknown[] = []
    runInVirtualTime(
      ({ at }) => {
        fromTask$(relayer.depth(mint)).subscribe((event) => events.push(event))
        at(60, () => http.request(1).lose())
        at(99, () => expect(events).toEqual([]))
      },
      { endsAt: 100 },
    )
    expect(events).toEqual([leftWith({ _tag: 'Timeout', afterMs: 100 })])
    expect(http.request(2).aborted).toBe(true)
  })

  it('counts toward maxRequestsPerSecond, and is sent before the queued requests', () => {
    const limiter = new RequestLimiter({ clock: rxClock, maxRequestsPerSecond: 2, maxConcurrentRequests: 9 })
    const { relayer, http } = relayerOf({ limiter, timeouts: new ResponsiveDeadlines(rxClock, 60_000) })
    const request$ = (address: Address) => fromTask$(relayer.depth(address))
    const mints = (): unknown => http.requests.map(({ path }) => path.split('/').at(-1))
    runInVirtualTime(
      ({ at }) => {
        const subscriptions = (['0x1', '0x2', '0x3', '0x4'] as const).map((each) =>
          request$(each).subscribe(),
        )
        expect(mints()).toEqual(['0x1', '0x2'])
        at(10, () => http.request(1).lose())
        at(999, () => expect(mints()).toEqual(['0x1', '0x2']))
        at(1999, () => {
          expect(mints()).toEqual(['0x1', '0x2', '0x1', '0x3'])
          expect(http.request(3).newConnection).toBe(true)
          for (const each of subscriptions) each.unsubscribe()
        })
      },
      { endsAt: 3000 },
    )
    expect(http.requests).toHaveLength(4)
  })

  it('has a place among maxConcurrentRequests, and its wait counts toward the timeout', () => {
    const limiter = new RequestLimiter({ clock: rxClock, maxRequestsPerSecond: 1, maxConcurrentRequests: 1 })
    const { relayer, http } = relayerOf({ limiter, timeouts: new ResponsiveDeadlines(rxClock, 500) })
    const events: unknown[] = []
    runInVirtualTime(
      ({ at }) => {
        fromTask$(relayer.depth(mint)).subscribe((event) => events.push(event))
        at(10, () => http.request(1).lose())
        at(499, () => expect(events).toEqual([]))
        at(500, () => fromTask$(relayer.depth(mint)).subscribe())
      },
      { endsAt: 2000 },
    )
    expect(events).toEqual([leftWith({ _tag: 'Timeout', afterMs: 500 })])
    // The first request of each task: the repeated one is removed from the queue.
    expect(http.requests.map(({ newConnection }) => newConnection)).toEqual([false, false])
  })

  it('is sent at once although maxConcurrentRequests is 1', () => {
    const limiter = new RequestLimiter({
      clock: rxClock,
      maxRequestsPerSecond: Infinity,
      maxConcurrentRequests: 1,
    })
    const { relayer, http } = relayerOf({ limiter })
    const subscription = fromTask$(relayer.depth(mint)).subscribe()
    http.request(1).lose()
    expect(http.requests.map(({ newConnection }) => newConnection)).toEqual([false, true])
    subscription.unsubscribe()
  })
})
