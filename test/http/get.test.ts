import { left, right } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { get } from '../../src/http/get.js'
import { fromTask$ } from '../../src/task/cancellable-task.js'
import type { HttpTransport } from '../../src/transport/ports.js'
import { FakeHttp } from '../support/fake-http.js'
import { fails, marbles } from '../support/marbles.js'
import { virtually } from '../support/virtual.js'

const target = { origin: 'https://host:3000', path: '/path?query', headers: { name: 'value' } }
const limits = { requestTimeout: 100, maxBodyBytes: 4096 }
const timeout = fails({ _tag: 'Timeout', afterMs: 100 })

describe('a request', () => {
  it('sends the target as it stands, on each subscription anew', async () => {
    const http = new FakeHttp()
    const source$ = fromTask$(get({ http, ...limits }, target))
    expect(http.requests).toHaveLength(0)
    const answers = [firstValueFrom(source$), firstValueFrom(source$)]
    http.request(1).answers(200, 'one')
    http.request(2).answers(404, 'two')
    expect(await Promise.all(answers)).toMatchObject([{ right: { body: 'one' } }, { right: { status: 404 } }])
    expect(http.requests).toMatchObject([target, target])
    expect(http.request(1).maxBodyBytes).toBe(4096)
  })

  it('is one value, then completion', async () => {
    const http = new FakeHttp()
    const heard: string[] = []
    fromTask$(get({ http, ...limits }, target)).subscribe({
      next: (answer) => heard.push(answer._tag),
      complete: () => heard.push('complete'),
    })
    http.request(1).answers(200, '')
    await vi.waitFor(() => expect(heard).toEqual(['Right', 'complete']))
  })

  it('is a `Timeout` when its time is over, which aborts the request', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(get({ http, ...limits }, target))).toBe('100ms (t|)', { t: timeout })
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('is no `Timeout` however long the deadline, nor any sooner', () => {
    const requestTimeout = 2 ** 31 + 5
    const http = new FakeHttp()
    let heard = 0
    virtually(
      ({ at }) => {
        fromTask$(get({ http, ...limits, requestTimeout }, target)).subscribe(() => heard++)
        at(requestTimeout - 1, () => expect(heard).toBe(0))
      },
      { until: requestTimeout },
    )
    expect(heard).toBe(1)
  })

  it('aborts the request, and sets no timer any more, when it is left', () => {
    const http = new FakeHttp()
    marbles(({ expectObservable }) => {
      expectObservable(fromTask$(get({ http, ...limits }, target)), '^--!').toBe('')
    })
    expect(http.request(1).aborted).toBe(true)
  })

  it('leaves no timer behind when it was answered', async () => {
    vi.useFakeTimers()
    try {
      const http = new FakeHttp()
      const answer = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
      http.request(1).answers(200, '')
      await answer
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not hear what comes after it was left', async () => {
    const http = new FakeHttp()
    const heard: unknown[] = []
    const listening = fromTask$(get({ http, ...limits }, target)).subscribe((answer) => heard.push(answer))
    listening.unsubscribe()
    http.request(1).fails(new Error('aborted'))
    const other = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(2).answers(200, '')
    await other
    expect(heard).toEqual([])
  })

  it('gives what the transport says as it is', async () => {
    const http = new FakeHttp()
    const answer = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(1).fails(new Error('refused'))
    expect(await answer).toMatchObject(left({ _tag: 'NetworkError', message: 'no answer: refused' }))
  })

  it('is a `NetworkError` over a transport that throws', async () => {
    const http = new FakeHttp()
    http.throws = new Error('rude')
    expect(await firstValueFrom(fromTask$(get({ http, ...limits }, target)))).toEqual(
      fails({ _tag: 'NetworkError', cause: { name: 'Error', message: 'rude', code: undefined } }),
    )
  })

  it('aborts nothing that has been answered', async () => {
    const http = new FakeHttp()
    const answer = firstValueFrom(fromTask$(get({ http, ...limits }, target)))
    http.request(1).answers(200, '')
    await answer
    expect(http.request(1).aborted).toBe(false)
  })

  it('may be answered at once', async () => {
    const aborts = vi.fn()
    const http: HttpTransport = {
      get: (_, answered) => {
        answered(right({ status: 200, headers: {}, body: 'quick' }))
        return aborts
      },
      close: () => Promise.resolve(),
    }
    expect(await firstValueFrom(fromTask$(get({ http, ...limits }, target)))).toMatchObject({
      right: { body: 'quick' },
    })
    expect(aborts).not.toHaveBeenCalled()
  })
})
