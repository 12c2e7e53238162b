import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stale } from '../../../src/base/errors/constructors.js'
import { causeOf } from '../../../src/base/errors/failure-cause.js'
import { strategyFault, sweepError, type SweepFault } from '../../../src/backtest/sweep/sweep-error.js'

const cause = { name: 'TypeError', message: 'a is not a function', code: undefined }

const thrownCause = fc.anything().map(causeOf)

const fault = fc.oneof(
  fc.anything().map(strategyFault),
  thrownCause.map((any) => ({ why: 'worker', cause: any }) as const),
  thrownCause.map((any) => ({ why: 'module', cause: any }) as const),
  fc.record({ _tag: fc.string(), message: fc.string() }).map(strategyFault),
)

describe('sweepError', () => {
  it.each<[SweepFault, string]>([
    [{ why: 'module', cause }, 'the strategy cannot be loaded: a is not a function'],
    [{ why: 'strategy', cause }, 'the strategy failed: TypeError: a is not a function'],
    [{ why: 'value', index: 2, cause }, 'value 2 of the strategy cannot be cloned: a is not a function'],
    [{ why: 'score', cause }, 'the values have no score: a is not a function'],
    [{ why: 'worker', cause }, 'the worker thread ended: a is not a function'],
  ])('describes %j', (given, message) => {
    expect(sweepError(5, given)).toEqual({ _tag: 'SweepError', message, parameter: 5, ...given })
  })

  it('has a message of one line, whatever a strategy throws', () => {
    fc.assert(
      fc.property(fault, (given) => {
        expect(sweepError(undefined, given).message).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u)
      }),
    )
  })
})

describe('strategyFault', () => {
  it('keeps the tag and the message of an error of the library', () => {
    expect(strategyFault(stale('svc-0xab', 5, undefined))).toMatchObject({
      why: 'strategy',
      cause: { name: 'Stale', message: expect.stringMatching(/^svc-0xab: no price for 5 ms/) as string },
    })
  })
})
