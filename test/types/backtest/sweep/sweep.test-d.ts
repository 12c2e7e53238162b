import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { FailureCause } from 'svc-streams'
import type { RecordingError } from 'svc-streams/recording'
import {
  sweep,
  walkForward$,
  type SweepError,
  type SweepRun,
  type SweepStrategy,
  type WalkForwardError,
  type WalkForwardRun,
  type WindowRange,
} from 'svc-streams/sweep'
import { describe, expectTypeOf, test } from 'vitest'

const strategy = new URL('strategy.js', import.meta.url)

describe('sweep', () => {
  test('infers the parameter, and the values are unknown', () => {
    expectTypeOf(sweep('market.ndjson', strategy, [1, 2])).toEqualTypeOf<
      Observable<Either<SweepError<number>, SweepRun<number, unknown>>>
    >()
  })

  test('has the given types of parameters and values', () => {
    interface Window {
      readonly length: number
    }
    const result$ = sweep<Window, string>(['a.ndjson', strategy], strategy.href, [{ length: 5 }], {
      workers: 2,
      from: 0,
      to: 1,
      environment: 'testnet',
    })
    expectTypeOf(result$).toEqualTypeOf<Observable<Either<SweepError<Window>, SweepRun<Window, string>>>>()
    expectTypeOf<SweepRun<Window, string>>().toEqualTypeOf<{
      readonly parameter: Window
      readonly values: readonly string[]
      readonly summary: { readonly rows: number }
    }>()
  })

  test('accepts readonly parameters, and rejects what a worker cannot open', () => {
    const parameters: readonly number[] = [1]
    void sweep('market.ndjson', strategy, parameters)
    // @ts-expect-error -- no iterable
    void sweep(new Set(['text']), strategy, parameters)
    // @ts-expect-error -- no function
    void sweep('market.ndjson', () => undefined, parameters)
    // @ts-expect-error -- no speed
    void sweep('market.ndjson', strategy, parameters, { speed: 1 })
  })

  test('types a strategy', () => {
    expectTypeOf<SweepStrategy<number, string>>().returns.toEqualTypeOf<Observable<string>>()
    expectTypeOf<SweepStrategy<number, string>>().parameter(1).toEqualTypeOf<number>()
  })
})

describe('SweepError', () => {
  test('is discriminated by why', () => {
    const causeOf = (error: SweepError<number>): FailureCause | RecordingError => {
      expectTypeOf(error.parameter).toEqualTypeOf<number>()
      expectTypeOf(error.message).toEqualTypeOf<string>()
      if (error.why === 'value') expectTypeOf(error.index).toEqualTypeOf<number>()
      return error.why === 'recording' ? error.error : error.cause
    }
    expectTypeOf(causeOf).returns.toEqualTypeOf<FailureCause | RecordingError>()
    expectTypeOf<SweepError['why']>().toEqualTypeOf<
      'module' | 'strategy' | 'value' | 'worker' | 'recording' | 'score'
    >()
  })
})

describe('walkForward$', () => {
  test('gives the score function the type of the values', () => {
    const score = (values: readonly string[]): number => values.length
    const result$ = walkForward$('market.ndjson', strategy, [1, 2], { train: 7, test: 1, score })
    expectTypeOf(result$).toEqualTypeOf<
      Observable<Either<WalkForwardError<number>, WalkForwardRun<number, string>>>
    >()
    expectTypeOf<WalkForwardRun<number, string>['test']>().toEqualTypeOf<WindowRange>()
    // @ts-expect-error -- the lengths have no default
    void walkForward$('market.ndjson', strategy, [1, 2], { train: 7 })
  })

  test('has errors that are discriminated by why', () => {
    const rangeOf = (error: WalkForwardError<number>): WindowRange | undefined =>
      error.why === 'train' || error.why === 'test' ? error.test : undefined
    expectTypeOf(rangeOf).returns.toEqualTypeOf<WindowRange | undefined>()
    expectTypeOf<WalkForwardError['why']>().toEqualTypeOf<'train' | 'test' | 'too short' | 'recording'>()
  })
})
