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
      expectObservable(source$).toBe('-a-(bb)-|', { ...values, b: left({ _tag: 'Stale' }) })
      expectSubscriptions(source$.subscriptions).toBe('^-------!')
    })
    expect(message).toBeUndefined()
  })

  it('prints both diagrams, the first difference and the values', () => {
    const values = { a: { price: 1, units: 5n }, b: { price: 2 }, c: { price: 3 } }
    const message = messageOf(({ hot, expectObservable }) => {
      expectObservable(hot('-a-b---(ac)-|', values)).toBe('-a---b-(ac) 250ms #', values, 'gone')
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

  it('prints values that differ at the same time, and subscriptions', () => {
    expect(
      messageOf(({ hot, expectObservable }) => expectObservable(hot('-a|', { a: 1 })).toBe('-a|', { a: 2 })),
    ).toContain(`expected  -b|
actual    -a|
           ^ 1 ms
a  1
b  2
`)
    const message = messageOf(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('-a|')
      expectObservable(source$).toBe('-a|')
      expectSubscriptions(source$.subscriptions).toBe('^--!')
    })
    expect(message).toContain('expected  ^--!\nactual    ^-!\n            ^ 2 ms\n')
  })
})
