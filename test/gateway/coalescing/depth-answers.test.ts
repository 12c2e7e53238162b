import { left, right } from 'fp-ts/lib/Either.js'
import type { DepthError } from 'svc-streams'
import {
  clientClosed,
  depth,
  httpError,
  networkError,
  timeout,
  unauthorized,
  unsupportedPair,
} from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { DepthAnswers } from '../../../src/gateway/coalescing/relays.js'
import { currentClock } from '../../../src/base/time/rx-clock.js'
import { weth } from '../../support/tokens.js'

/** The answers of a gateway whose wall clock the test sets. */
const start = () => {
  const clock = { ...currentClock(), wallClock: () => clock.now, now: 0 }
  const answers = new DepthAnswers(clock)
  const fail = (now: number, error: DepthError): void => {
    clock.now = now
    answers.add(left(error))
  }
  return { answers, fail }
}

describe('the answers to depth requests', () => {
  it('are unknown before the first result', () => {
    expect(start().answers.snapshot).toBeUndefined()
  })

  it.each<[DepthError, string]>([
    [unauthorized('no'), 'Unauthorized'],
    [networkError(new Error('reset')), 'NetworkError'],
    [timeout(5), 'Timeout'],
    [httpError(502, 'Bad Gateway', undefined), 'HttpError'],
  ])('fail after %j', (error, name) => {
    const { answers, fail } = start()
    fail(7, error)
    expect(answers.snapshot).toEqual({ failure: { error: name, since: 7 } })
  })

  it.each<DepthError>([
    unsupportedPair(weth, undefined, 'no'),
    httpError(429, 'Too Many Requests', undefined),
    { _tag: 'DecodeError', message: '', input: '', issues: [] },
  ])('succeed after %j, which may concern the token alone', (error) => {
    const { answers, fail } = start()
    fail(7, unauthorized('no'))
    fail(8, error)
    expect(answers.snapshot).toEqual({ failure: undefined })
  })

  it('fail since the first failure in a row, for the reason of the last', () => {
    const { answers, fail } = start()
    fail(1, unauthorized('no'))
    answers.add(right(depth(weth)))
    fail(2, timeout(5))
    fail(3, unauthorized('no'))
    fail(4, clientClosed)
    expect(answers.snapshot).toEqual({ failure: { error: 'Unauthorized', since: 2 } })
  })
})
