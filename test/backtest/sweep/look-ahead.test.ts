import fc from 'fast-check'
import { concat, concatMap, defer, EMPTY, of, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Output } from '../../../src/backtest/sweep/messages.js'
import {
  choosePrefixes,
  findLookAhead,
  type LookAheadResult,
  type PrefixRuns,
  type RunPrefix$,
} from '../../../src/backtest/sweep/look-ahead/find-look-ahead.js'
import { caseCount } from '../../support/run/long.js'

const valueAt = (line: number, value: unknown, phase: Output['phase'] = 'line'): Output => ({
  line,
  phase,
  event: { _tag: 'Value', value },
})

/** A run of a strategy that emits a value, or `undefined` for none, at each line, by the number of lines. */
const runOf =
  (emit: (line: number, lines: number) => unknown): RunPrefix$ =>
  (lines) =>
    defer(() =>
      of(
        Array.from({ length: lines }, (_, index) => index + 1).flatMap((line) => {
          const value = emit(line, lines)
          return value === undefined ? [] : [valueAt(line, value)]
        }),
      ),
    )

const find = (
  lines: number,
  run$: RunPrefix$,
  prefixes = lines,
  workers = 2,
  runTogether$: PrefixRuns['runTogether$'] = () => EMPTY,
): Promise<LookAheadResult> => findLookAhead({ lines, prefixes, workers }, { run$, runTogether$ })

describe('findLookAhead', () => {
  it('finds no look-ahead in a strategy that uses earlier rows, whatever it emits and how many prefixes are compared', async () => {
    const strategies = fc.record({
      lines: fc.integer({ min: 2, max: 40 }),
      prefixes: fc.integer({ min: 1, max: 50 }),
      emits: fc.func(fc.option(fc.integer(), { nil: undefined })),
    })
    await fc.assert(
      fc.asyncProperty(strategies, async ({ lines, prefixes, emits }) => {
        const run$ = runOf((line) => (line === 1 ? 'start' : emits(line)))
        expect(await find(lines, run$, prefixes)).toMatchObject({
          _tag: 'Equal',
          prefixes: Math.min(prefixes, lines - 1),
        })
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('finds a look-ahead of any number of rows, of one output that appears, changes or disappears', async () => {
    const planted = fc
      .record({
        lines: fc.integer({ min: 2, max: 60 }),
        at: fc.nat(),
        distance: fc.nat(),
        before: fc.constantFrom(undefined, 'before'),
        after: fc.constantFrom(undefined, 'after'),
        workers: fc.integer({ min: 1, max: 4 }),
      })
      .filter(({ before, after }) => before !== after)
      .map(({ lines, at, distance, ...rest }) => {
        const line = 1 + (at % (lines - 1))
        return { lines, line, distance: 1 + (distance % (lines - line)), ...rest }
      })
    await fc.assert(
      fc.asyncProperty(planted, async ({ lines, line, distance, before, after, workers }) => {
        const run$ = runOf((each, count) => {
          if (each !== line) return each
          return count >= line + distance ? after : before
        })
        const shown = (value: unknown) => (value === undefined ? undefined : valueAt(line, value))
        expect(await find(lines, run$, lines, workers)).toEqual({
          _tag: 'LookAhead',
          outputLine: line,
          changedBy: line + distance,
          before: shown(before),
          after: shown(after),
        })
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('takes at most 3 + 2 log2(lines) more runs than prefixes and the two over all lines', async () => {
    const planted = fc.record({
      lines: fc.integer({ min: 3, max: 100_000 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      prefixes: fc.integer({ min: 2, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(planted, async ({ lines, part, prefixes }) => {
        // The first output is the only one, and an output has a prefix of its own.
        const changedBy = 2 + Math.floor(part * (lines - 2))
        let runs = 0
        const run$: RunPrefix$ = (count) => {
          runs++
          return of([valueAt(1, count >= changedBy)])
        }
        expect(await find(lines, run$, prefixes)).toMatchObject({
          _tag: 'LookAhead',
          outputLine: 1,
          changedBy,
        })
        expect(runs).toBeLessThanOrEqual(2 + prefixes + 3 + 2 * Math.log2(lines))
      }),
      { numRuns: caseCount(1000) },
    )
  })

  it('compares an output between two lines once the second line has come', async () => {
    const run$ =
      (changes: boolean): RunPrefix$ =>
      (lines) =>
        of([valueAt(1, 0), ...(lines > 2 ? [valueAt(2, changes && lines > 5, 'between')] : [])])
    expect(await find(9, run$(false))).toMatchObject({ _tag: 'Equal' })
    expect(await find(9, run$(true))).toEqual({
      _tag: 'LookAhead',
      outputLine: 3,
      changedBy: 6,
      before: valueAt(2, false, 'between'),
      after: valueAt(2, true, 'between'),
    })
  })

  it('does not compare outputs at the end of a run with those of another', async () => {
    const run$: RunPrefix$ = (lines) => of([valueAt(1, 'first'), valueAt(lines, lines, 'end')])
    expect(await find(9, run$)).toEqual({ _tag: 'Equal', prefixes: 8, outputs: 1 })
  })

  it('finds a strategy that fails because a later row is missing', async () => {
    const failed: Output = { line: 4, phase: 'line', event: { _tag: 'Failed', message: 'no row 7' } }
    const run$: RunPrefix$ = (lines) =>
      of([valueAt(1, 1), ...(lines >= 7 ? [valueAt(4, 7)] : lines >= 4 ? [failed] : [])])
    expect(await find(9, run$)).toEqual({
      _tag: 'LookAhead',
      outputLine: 4,
      changedBy: 7,
      before: failed,
      after: valueAt(4, 7),
    })
  })

  it('reports a strategy that fails over the whole recording, and one without a value', async () => {
    const output: Output = { line: 2, phase: 'line', event: { _tag: 'Failed', message: 'no depth' } }
    expect(await find(3, () => of([valueAt(1, 1), output]))).toEqual({ _tag: 'Failed', output })
    const ended: Output = { line: 2, phase: 'line', event: { _tag: 'Completed' } }
    expect(await find(3, () => of([ended, valueAt(3, 1, 'end')]))).toEqual({ _tag: 'NoOutput' })
  })

  it('runs prefixes alone only from the first on that has no equal outputs when they run together', async () => {
    const alone: number[] = []
    const run$: RunPrefix$ = (lines) =>
      defer(() => {
        alone.push(lines)
        return of([valueAt(1, 1)])
      })
    const runTogether = (outputs: Readonly<Record<number, number>>, most = Infinity) => {
      alone.length = 0
      return find(9, run$, 8, 2, (prefixes) =>
        of(...prefixes).pipe(
          concatMap((prefix) => of([valueAt(1, outputs[prefix] ?? 1)])),
          take(most),
        ),
      )
    }
    const equal = { _tag: 'Equal', prefixes: 8, outputs: 1 }
    expect(await runTogether({})).toEqual(equal)
    expect(alone).toEqual([9, 9])
    expect(await runTogether({ 5: 0 })).toEqual(equal)
    expect(alone).toEqual([9, 9, 5, 7])
    expect(await runTogether({}, 1)).toEqual(equal)
    expect(alone).toEqual([9, 9, 3, 4, 5, 6, 7, 8])
  })

  it('finds a look-ahead in the prefixes that run alone after those that run together', async () => {
    const run$ = runOf((line, lines) => (line === 4 && lines > 6 ? 'ahead' : line))
    const runTogether$: PrefixRuns['runTogether$'] = (prefixes) => concat(...prefixes.map(run$))
    expect(await find(9, run$, 8, 3, runTogether$)).toEqual(await find(9, run$, 8, 3))
  })

  it('reports two whole runs that differ, at the end too, as not deterministic', async () => {
    let run = 0
    const result = await find(3, (lines) => of([valueAt(1, 1), valueAt(lines, run++, 'end')]), 3, 1)
    expect(result).toEqual({
      _tag: 'NotDeterministic',
      lines: 3,
      first: valueAt(3, 0, 'end'),
      second: valueAt(3, 1, 'end'),
    })
  })

  it('reports runs over a prefix that differ as not deterministic, not as a look-ahead', async () => {
    let run = 0
    const run$ = runOf((line, lines) => (line === 1 && lines < 9 ? run++ : line))
    expect(await find(9, run$)).toMatchObject({ _tag: 'NotDeterministic', lines: 1 })
  })

  it('runs at most as many prefixes at a time as there are workers', async () => {
    let running = 0
    let most = 0
    const run$: RunPrefix$ = () =>
      defer(async () => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        return [valueAt(1, 1)]
      })
    expect(await find(50, run$, 50, 3)).toMatchObject({ _tag: 'Equal', prefixes: 49 })
    expect(most).toBe(3)
  })
})

describe('choosePrefixes', () => {
  it('has half of the prefixes at outputs, and each line if there are as many prefixes', () => {
    const outputs = [700, 701, 702, 703].map((line) => valueAt(line, 0))
    expect(choosePrefixes(outputs, { lines: 1000, prefixes: 4 })).toEqual([333, 666, 700, 703])
    expect(choosePrefixes([], { lines: 1000, prefixes: 3 })).toEqual([250, 500, 750])
    expect(choosePrefixes(outputs, { lines: 5, prefixes: 20 })).toEqual([1, 2, 3, 4])
    expect(choosePrefixes(outputs, { lines: 1, prefixes: 20 })).toEqual([])
  })
})
