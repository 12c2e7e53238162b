import { right } from 'fp-ts/lib/Either.js'
import { of } from 'rxjs'
import type { Address } from 'svc-streams'
import { depth } from 'svc-streams/testing'
import { describe, it } from 'vitest'
import { validatedDepth$ } from '../../../src/client/depth/polls.js'
import { leftWith, marbles } from '../../support/time/marbles.js'
import { mint, pollsOf } from './support/polls.js'

const notCalled = (): never => {
  throw new Error('the arguments are invalid')
}

/** Asserts one error, then completion, for `validatedDepth$` and for the polls that use it. */
const expectError = (address: unknown, interval: unknown, error: object): void =>
  marbles(({ expectObservable }) => {
    const args = [address as Address, interval as number] as const
    const i = leftWith(error)
    expectObservable(validatedDepth$(...args, notCalled)).toBe('(i|)', { i })
    expectObservable(pollsOf(notCalled).depth$(...args)).toBe('(i|)', { i })
  })

describe('validatedDepth$', () => {
  it.each(['', '0x', 'aa', '0xg', 'svc-0xaa', '0xaa/../x', ' 0xaa', '0xaa\n'])(
    'emits InvalidMint and completes for the mint %j',
    (invalid) => expectError(invalid, 5, { _tag: 'InvalidMint', mint: invalid }),
  )

  it.each([0, 0.999, -1, NaN, Infinity, -Infinity])(
    'emits InvalidInterval and completes for the interval %d',
    (invalid) => expectError(mint, invalid, { _tag: 'InvalidInterval', interval: invalid }),
  )

  it.each(['1000', null, undefined, {}])(
    'emits InvalidInterval and completes for the interval %j of plain JavaScript',
    (invalid) => expectError(mint, invalid, { _tag: 'InvalidInterval', interval: NaN }),
  )

  it('emits each depth with the mint as the caller wrote it', () => {
    marbles(({ expectObservable }) => {
      const source$ = validatedDepth$('0xAA', 5, () => of(right(depth('0xaa'))))
      expectObservable(source$).toBe('(d|)', { d: right(depth('0xAA')) })
    })
  })
})
