import { describe, expect, expectTypeOf, it } from 'vitest'
import { clientClosed, disconnected, stale, timeout } from '../../src/errors/constructors.js'
import type {
  AnyError,
  ClientClosed,
  Disconnected,
  PriceError,
  Stale,
  Timeout,
} from '../../src/errors/model.js'
import { matchError, renderError, renderIssue } from '../../src/errors/render.js'

describe('renderError', () => {
  it('is the tag and the message', () => {
    expect(renderError(timeout(5000))).toBe('Timeout: no whole answer within 5000 ms')
    expect(renderError(clientClosed)).toBe('ClientClosed: the client was closed')
  })
})

describe('matchError', () => {
  const down = disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 250 })

  const wait = (error: Stale | Disconnected | ClientClosed): number | undefined =>
    matchError(error, {
      Stale: (e) => e.silentForMs,
      Disconnected: (e) => e.retryInMs,
      ClientClosed: () => undefined,
    })

  it('calls the function of the tag, with the error', () => {
    expect(wait(down)).toBe(250)
    expect(wait(stale('svc-0xab', 30_000, undefined))).toBe(30_000)
    expect(wait(clientClosed)).toBeUndefined()
    expect(matchError(down, { Disconnected: (e) => e })).toBe(down)
  })

  it('gives the union of what its functions give', () => {
    const either = (error: Stale | Timeout) =>
      matchError(error, { Stale: () => 'stale', Timeout: (e) => e.afterMs })
    expectTypeOf(either).returns.toEqualTypeOf<string | number>()
    expect(either(timeout(7))).toBe(7)
  })

  it('does not compile where a tag is left out, or where a function wants what its error has not', () => {
    const [silent = timeout(1)]: (Stale | Timeout)[] = [stale('svc-0xab', 1, undefined)]
    // @ts-expect-error: Timeout has no function
    expect(matchError<Stale | Timeout, { Stale: () => number }>(silent, { Stale: () => 1 })).toBe(1)
    // @ts-expect-error: Timeout has no function
    expect(matchError(silent, { Stale: () => 1 })).toBe(1)
    const wantsStale = (error: Stale) => error.silentForMs
    // @ts-expect-error: a Timeout has no silentForMs
    expect(matchError(silent, { Stale: wantsStale, Timeout: wantsStale })).toBe(1)
  })

  it('covers the whole of a union', () => {
    const terminal = (error: PriceError): boolean =>
      matchError(error, {
        InvalidTopic: () => true,
        SubscriptionRejected: () => true,
        SubscriptionTimeout: () => false,
        Disconnected: () => false,
        Stale: () => false,
        DecodeError: () => false,
        ClientClosed: () => true,
      })
    expect(terminal(down)).toBe(false)
    expect(terminal(clientClosed)).toBe(true)
    expectTypeOf<PriceError>().toExtend<AnyError>()
  })
})

describe('renderIssue', () => {
  it('leaves the path out where the whole is at fault', () => {
    expect(renderIssue({ path: 'buy.total_quantity', expected: 'integer', actual: '"x"' })).toBe(
      'buy.total_quantity: expected integer, got "x"',
    )
    expect(renderIssue({ path: '', expected: 'JSON', actual: '"x"' })).toBe('expected JSON, got "x"')
  })
})
