import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { concatMap, defer, finalize, from, tap, timer } from 'rxjs'
import { walkForward$ } from 'svc-streams/sweep'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { sweepError, type WindowRange } from '../../../src/backtest/sweep/sweep-error.js'
import { walkForwardSettings, type WalkForwardOptions } from '../../../src/backtest/sweep/options.js'
import type { SweepResult } from '../../../src/backtest/sweep/sweep.js'
import { walkForwardOn, windowResult$, type SweepRange$ } from '../../../src/backtest/sweep/walk-forward.js'
import { collect, header, priceRow, recordingText, start } from '../recording/support/recordings.js'
import { caseCount } from '../../support/run/long.js'
import { marbles } from '../../support/time/marbles.js'
import { compiledProgram, newModule, recordingOf } from './support/run-sweep.js'

type Fake = SweepRange$<number, number>

const resultOf = (parameter: number, value: number): SweepResult<number, number> =>
  right({ parameter, values: [value], summary: { rows: 1 } })

/** A sweep in virtual time that counts its threads. Training takes 10 ms, a test 2 ms, in every other window 7 ms. */
const slowSweep = () => {
  const log: string[] = []
  const threads = { now: 0, most: 0 }
  const sweep$: Fake = (parameters, { from: begin, to }, count) =>
    defer(() => {
      threads.most = Math.max(threads.most, (threads.now += count))
      let used = count
      /** Before the completion: then the threads of a sweep are terminated. */
      const release = (): void => {
        threads.now -= used
        used = 0
      }
      log.push(`${parameters.length > 1 ? 'train' : 'test'} ${begin}-${to}`)
      const ms = parameters.length > 1 ? 10 : begin % 20 === 0 ? 7 : 2
      return timer(ms).pipe(
        tap(release),
        concatMap(() => from(parameters.map((parameter) => resultOf(parameter, parameter)))),
        finalize(release),
      )
    })
  return { sweep$, log, threads }
}

const settingsOf = (options: WalkForwardOptions<number>) => walkForwardSettings(options)

describe('the windows of a walk-forward', () => {
  it('are trained, then tested, and emitted in order, at most as many threads at a time as workers', () => {
    marbles(({ expectObservable, flush }) => {
      const { sweep$, log, threads } = slowSweep()
      const settings = settingsOf({ train: 20, test: 10, workers: 2 })
      const result$ = windowResult$({ from: 0, to: 50 }, [1, 2], settings, sweep$)
      const window = (begin: number) =>
        right({
          train: { from: begin, to: begin + 20 },
          test: { from: begin + 20, to: begin + 30 },
          parameter: 2,
          values: [2],
          summary: { rows: 1 },
          score: 2,
          trainScore: 2,
        })
      // The second window ends after 12 ms, and waits for the first.
      expectObservable(result$).toBe('17ms (ab) 8ms (c|)', { a: window(0), b: window(10), c: window(20) })
      flush()
      expect(log).toEqual([
        'train 0-20',
        'train 10-30',
        'test 20-30',
        'test 30-40',
        'train 20-40',
        'test 40-50',
      ])
      expect(threads).toEqual({ now: 0, most: 2 })
    })
  })

  it('use all workers where there are fewer windows, and stop when nobody is subscribed', () => {
    marbles(({ expectObservable, flush }) => {
      const { sweep$, log, threads } = slowSweep()
      const settings = settingsOf({ train: 20, test: 10, workers: 8 })
      const result$ = windowResult$({ from: 0, to: 40 }, [1, 2], settings, sweep$)
      expectObservable(result$, '^ 10ms !').toBe('-')
      flush()
      expect(threads).toEqual({ now: 0, most: 8 })
      expect(log.filter((line) => line.startsWith('train'))).toHaveLength(2)
    })
  })

  it('have test ranges that are adjacent, each behind its training range, as many as fit', async () => {
    const lengths = fc.record({
      begin: fc.integer({ min: -1000, max: 1000 }),
      length: fc.nat(500),
      train: fc.integer({ min: 1, max: 60 }),
      test: fc.integer({ min: 1, max: 60 }),
      workers: fc.integer({ min: 1, max: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(lengths, async ({ begin, length, train, test, workers }) => {
        const sweep$: Fake = (parameters) => from(parameters.map((each) => resultOf(each, each)))
        const range = { from: begin, to: begin + length }
        const results = await collect(windowResult$(range, [1], settingsOf({ train, test, workers }), sweep$))
        if (train + test > length) {
          expect(results).toMatchObject([left({ why: 'too short', recordedMs: length, trainMs: train })])
          return
        }
        const windows = results.flatMap((result) => (isRight(result) ? [result.right] : []))
        expect(windows.map((window) => [window.train, window.test])).toEqual(
          Array.from({ length: Math.floor((length - train) / test) }, (_, index) => {
            const tested = begin + train + index * test
            return [
              { from: tested - train, to: tested },
              { from: tested, to: tested + test },
            ]
          }),
        )
        const end = windows.at(-1)?.test.to ?? NaN
        expect(end).toBeLessThanOrEqual(range.to)
        expect(range.to - end).toBeLessThan(test)
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('have the best parameter of their training range, whatever it does in the test range', async () => {
    const scores = fc.array(
      fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(NaN)), {
        minLength: 3,
        maxLength: 3,
      }),
      { minLength: 2, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(scores, fc.infiniteStream(fc.integer()), async (trained, tested) => {
        const inTest = new Map<string, number>()
        const sweep$: Fake = (parameters, range) =>
          from(
            parameters.map((parameter) => {
              if (parameters.length === 3)
                return resultOf(parameter, trained[range.from / 10]?.[parameter] ?? 0)
              const value = Number(tested.next().value)
              inTest.set(`${range.from}`, value)
              return resultOf(parameter, value)
            }),
          )
        const range = { from: 0, to: trained.length * 10 + 10 }
        const results = await collect(
          windowResult$(range, [0, 1, 2], settingsOf({ train: 10, test: 10, workers: 3 }), sweep$),
        )
        expect(results).toHaveLength(trained.length)
        for (const [index, result] of results.entries()) {
          const finite = (trained[index] ?? []).filter(Number.isFinite)
          const best = (trained[index] ?? []).indexOf(Math.max(...finite))
          if (finite.length === 0) expect(result).toMatchObject(left({ why: 'train' }))
          else {
            const score = inTest.get(`${10 * index + 10}`)
            expect(result).toMatchObject(right({ parameter: best, score, values: [score] }))
          }
        }
      }),
      { numRuns: caseCount(1000) },
    )
  })
})

describe('a window without a result', () => {
  const range = { from: 0, to: 40 }
  const cause = { name: 'Error', message: 'no memory', code: undefined }
  const failed = (parameter: number) => left(sweepError(parameter, { why: 'worker' as const, cause }))
  const options = { train: 20, test: 10, workers: 1 }

  const errorsOf = async (sweep$: Fake, score?: (values: readonly number[]) => number) => {
    const settings = settingsOf({ ...options, ...(score === undefined ? {} : { score }) })
    const results = await collect(windowResult$(range, [1, 2], settings, sweep$))
    return results.map((result) => (isRight(result) ? result.right.parameter : result.left.message))
  }

  it('has no parameter that can be trained, and the others continue', async () => {
    const sweep$: Fake = (parameters, { from: begin }) =>
      from(parameters.map((each) => (begin === 0 ? failed(each) : resultOf(each, -each))))
    expect(await errorsOf(sweep$)).toEqual([
      'no parameter has a score in the training range: the worker thread ended: no memory',
      1,
    ])
  })

  it('has a parameter that fails in the test range', async () => {
    const sweep$: Fake = (parameters, { from: begin }) =>
      from(parameters.map((each) => (begin === 20 && each === 2 ? failed(each) : resultOf(each, each))))
    expect(await errorsOf(sweep$)).toEqual([
      'the test range has no result: the worker thread ended: no memory',
      2,
    ])
  })

  it('chooses among the parameters that have a result', async () => {
    const sweep$: Fake = (parameters) =>
      from(parameters.map((each) => (each === 2 ? failed(each) : resultOf(each, each))))
    expect(await errorsOf(sweep$)).toEqual([1, 1])
  })

  it.each<[string, (values: readonly number[]) => number, string]>([
    ['is NaN', () => NaN, 'expected a finite number, got NaN'],
    ['is no number', (() => '1') as never, 'expected a finite number, got a value of type string'],
    [
      'throws',
      () => {
        throw new Error('no profit')
      },
      'no profit',
    ],
  ])('has a score that %s', async (_, score, message) => {
    const sweep$: Fake = (parameters) => from(parameters.map((each) => resultOf(each, each)))
    const expected = `no parameter has a score in the training range: the values have no score: ${message}`
    expect(await errorsOf(sweep$, score)).toEqual([expected, expected])
  })
})

/** Gains 1 for each row in which the price moves into the direction of the parameter. Counts in a variable of the module. */
const follower = `
import { map, pairwise, reduce } from 'rxjs'
import { rights } from 'svc-streams/operators'
let runs = 0
export default (client, direction) => {
  runs++
  return client.price$('svc-0xab').pipe(
    rights(),
    map(({ price }) => price),
    pairwise(),
    map(([before, after]) => Math.sign(after - before) * direction),
    reduce((result, gain) => ({ gain: result.gain + gain, runs }), { gain: 0, runs }),
  )
}`

describe('walkForward$', () => {
  const run = (source: string, options: WalkForwardOptions<{ gain: number }>, text = follower) =>
    collect(
      walkForwardOn({ program: () => ({ url: compiledProgram() }) })<number, { gain: number }>(
        source,
        pathToFileURL(newModule('follower.mjs', text)),
        [-1, 1],
        { workers: 2, ...options },
      ),
    )
  const score = (values: readonly { gain: number }[]): number => values.at(-1)?.gain ?? NaN

  it('reports what the parameter of the training range does in the test range, with a new strategy', async () => {
    // The price rises in the first 400 ms, falls in the next 200 ms, and rises from then on.
    const usd = [1, 2, 3, 4, 3, 2, 3, 4]
    const path = newModule(
      'market.ndjson',
      recordingText(header, ...usd.map((price, index) => priceRow(100 * index, price))),
    )
    const results = await run(path, { train: 400, test: 200, score })
    const range = (begin: number, end: number): WindowRange => ({ from: start + begin, to: start + end })
    expect(results).toEqual([
      right({
        train: range(0, 400),
        test: range(400, 600),
        parameter: 1,
        values: [{ gain: -1, runs: 1 }],
        summary: { rows: 2 },
        score: -1,
        trainScore: 3,
      }),
    ])
    const longer = await run(path, { train: 400, test: 200, score, from: start - 1000, to: start + 1001 })
    expect(longer).toHaveLength(1)
  })

  it('is one Left for a recording that is shorter than a window, or cannot be read', async () => {
    expect(await run(recordingOf(11), { train: 900, test: 200, score })).toMatchObject([
      left({ why: 'too short', recordedMs: 1001, trainMs: 900, testMs: 200 }),
    ])
    expect(await run('/no/such.ndjson', { train: 1, test: 1, score })).toMatchObject([
      left({ why: 'recording', message: '/no/such.ndjson does not exist (ENOENT)' }),
    ])
  })

  const strategy = new URL('file:///strategy.js')
  it.each<[unknown, unknown, string]>([
    [[1], { train: 1 }, 'test: expected a whole number of ms from 1 to 8640000000000000'],
    [[1], { train: 0, test: 1 }, 'train: expected a whole number of ms from 1 to 8640000000000000'],
    [[1], { train: '7d', test: 1 }, 'train: expected a whole number of ms from 1 to 8640000000000000'],
    [[1], { train: 1, test: 1, scor: 5 }, 'scor: did you mean score?'],
    [[1], { train: 1, test: 1, score: 'profit' }, 'score: expected a function'],
    [[1], { train: 1, test: 1, from: 2, to: 1 }, 'to: expected a time after from'],
    [[], { train: 1, test: 1 }, 'parameters: expected at least one parameter'],
    ['ab', { train: 1, test: 1 }, 'parameters: expected an array'],
  ])('throws for the parameters %j with the options %j', (parameters, options, message) => {
    const call = () => Reflect.apply(walkForward$, undefined, ['a', strategy, parameters, options]) as unknown
    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(message)
  })
})
