import { left, right } from 'fp-ts/lib/Either.js'
import { TestScheduler } from 'rxjs/testing'
import { expectMarbles, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'

type Helpers = Parameters<Parameters<TestScheduler['run']>[0]>[0]

/** The message of the assertion in a marble test; `undefined` if it passes. */
const messageOf = (body: (helpers: Helpers) => void): string | undefined => {
  try {
    new TestScheduler(expectMarbles).run(body)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('expectMarbles', () => {
  it('accepts equal streams and subscriptions', () => {
    const values = { a: right(price('svc-0xab', 12.5)), b: left({ _tag: 'Stale', last: undefined }) }
    const message = messageOf(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('-a-(bb)-|', values)
      const expected = '    -a-(bb)-|'
      const subscribed = '  ^-------!'
      expectObservable(source$).toBe(expected, { ...values, b: left({ _tag: 'Stale' }) })
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
    expect(message).toBeUndefined()
  })

  it('prints both diagrams, the first difference and the values', () => {
    const values = { a: { price: 1, units: 5n }, b: { price: 2 }, c: { price: 3 } }
    const message = messageOf(({ hot, expectObservable }) => {
      const source$ = hot('-a-b---(ac)-|', values)
      const expected = '   -a---b-(ac) 250ms #'
      expectObservable(source$).toBe(expected, values, 'gone')
    })
    expect(message).toBe(`the streams differ

expected  -a---b-(ac)----- 248ms (#d)
actual    -a-b---(ac)----|
             ^ 3 ms
a  { price: 1, units: 5n }
b  { price: 2 }
c  { price: 3 }
d  "gone"
`)
  })

  it('compares values that contain themselves', () => {
    const circular = (price: number) => {
      const value = { price, parts: [] as unknown[] }
      value.parts.push(value)
      return value
    }
    const message = (price: number) =>
      messageOf(({ hot, expectObservable }) => {
        const source$ = hot('-a|', { a: circular(1) })
        const expected = '   -a|'
        expectObservable(source$).toBe(expected, { a: circular(price) })
      })
    expect(message(1)).toBeUndefined()
    expect(message(2)).toContain(`a  { parts: [<circular 2>], price: 1 }
b  { parts: [<circular 2>], price: 2 }`)
  })

  it('prints values that differ at the same time, and subscriptions', () => {
    const valueMessage = messageOf(({ hot, expectObservable }) => {
      const source$ = hot('-a|', { a: 1 })
      const expected = '   -a|'
      expectObservable(source$).toBe(expected, { a: 2 })
    })
    expect(valueMessage).toContain(`expected  -b|
actual    -a|
           ^ 1 ms
a  1
b  2
`)
    const message = messageOf(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('-a|')
      const expected = '    -a|'
      const subscribed = '  ^--!'
      expectObservable(source$).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
    expect(message).toContain('expected  ^--!\nactual    ^-!\n            ^ 2 ms\n')
  })
})
