import { describe, expect, expectTypeOf, it } from 'vitest'
import { clientClosed, disconnected, stale, timeout } from '../../../src/base/errors/constructors.js'
import type {
  AnyError,
  ClientClosed,
  Disconnected,
  PriceError,
  Stale,
  Timeout,
} from '../../../src/base/errors/model.js'
import { matchError, renderError, renderIssue } from '../../../src/base/errors/render.js'

describe('renderError', () => {
  it('returns the tag and the message', () => {
    expect(renderError(timeout(5000))).toBe('Timeout: no complete response within 5000 ms')
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

  it('calls `_` with an error that has no function of its own', () => {
    const summary = (error: Stale | Disconnected | ClientClosed): unknown =>
      matchError(error, { Stale: () => 'stale', _: (e) => e })
    expect(summary(stale('svc-0xab', 1, undefined))).toBe('stale')
    expect(summary(down)).toBe(down)
    expect(summary(clientClosed)).toBe(clientClosed)
  })

  it('calls `_` with an error whose tag the types do not contain', () => {
    const later = { _tag: 'Later', message: '' } as unknown as Stale
    expect(matchError(later, { Stale: () => 'stale', _: (e: unknown) => e })).toBe(later)
  })

  it('returns the union of the return types', () => {
    const either = (error: Stale | Timeout) =>
      matchError(error, { Stale: () => 'stale', Timeout: (e) => e.afterMs })
    expectTypeOf(either).returns.toEqualTypeOf<string | number>()
    expect(either(timeout(7))).toBe(7)
  })

  it('does not compile if a tag has no function, or a function takes another error', () => {
    const [error = timeout(1)]: (Stale | Timeout)[] = [stale('svc-0xab', 1, undefined)]
    // @ts-expect-error: Timeout has no function
    expect(matchError<Stale | Timeout, { Stale: () => number }>(error, { Stale: () => 1 })).toBe(1)
    // @ts-expect-error: Timeout has no function
    expect(matchError(error, { Stale: () => 1 })).toBe(1)
    const silenceOf = (late: Stale) => late.silentForMs
    // @ts-expect-error: a Timeout has no silentForMs
    expect(matchError(error, { Stale: silenceOf, Timeout: silenceOf })).toBe(1)
  })

  it('accepts a function for every member of a union', () => {
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
  it('omits an empty path', () => {
    expect(renderIssue({ path: 'buy.total_quantity', expected: 'integer', actual: '"x"' })).toBe(
      'buy.total_quantity: expected integer, got "x"',
    )
    expect(renderIssue({ path: '', expected: 'JSON', actual: '"x"' })).toBe('expected JSON, got "x"')
  })
})
