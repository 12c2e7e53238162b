import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { concatMap, delay, EMPTY, map, merge, type Observable } from 'rxjs'
import type { Client } from 'svc-streams'
import { inject, describe, expect, it } from 'vitest'
import { nodePlatform } from '../../../src/backtest/recording/on-node.js'
import { openableSources } from '../../../src/backtest/recording/read/source.js'
import { replaySettings } from '../../../src/backtest/recording/replay/replay-options.js'
import type { Output } from '../../../src/backtest/sweep/messages.js'
import {
  findLookAhead,
  type LookAheadResult,
  type RunPrefix$,
} from '../../../src/backtest/sweep/look-ahead/find-look-ahead.js'
import { runTasks$ } from '../../../src/backtest/sweep/worker/run-tasks.js'
import {
  chunksOf,
  collect,
  errorRow,
  down,
  header,
  prices$,
  priceRow,
  recordingText,
  topic,
} from '../recording/support/recordings.js'
import { caseCount, isLong } from '../../support/run/long.js'
import { runLive } from '../../worlds/support/live-world.js'
import { market } from '../../worlds/support/market.js'
import { strategies } from '../../worlds/support/strategies.js'

type Strategy$ = (client: Client) => Observable<unknown>

/** Runs a strategy over the first lines of a recording, in this thread. `strategyOf`: gets the number of these lines. */
const runsOf =
  (lines: readonly string[], strategyOf: (lines: number) => Strategy$): RunPrefix$ =>
  (count) =>
    runTasks$(
      {
        sources: openableSources(nodePlatform, chunksOf(lines.slice(0, count).join(''))),
        settings: replaySettings({}),
        tasks: [{ index: 0, parameter: undefined }],
        countsFrom: -Infinity,
        isTraced: true,
      },
      { strategy$: strategyOf(count), resultOf: (values) => values },
      () => undefined,
    ).pipe(
      map(({ outcome }) => {
        if (isLeft(outcome)) throw new Error(JSON.stringify(outcome.left))
        return outcome.right.values as readonly Output[]
      }),
    )

const linesOf = (text: string): readonly string[] =>
  text.split(/(?<=\n)/).filter((line) => line.trim() !== '')

const lookAheadOf = (
  lines: readonly string[],
  strategyOf: (lines: number) => Strategy$,
  prefixes = lines.length,
): Promise<LookAheadResult> =>
  findLookAhead(
    { lines: lines.length, prefixes, workers: 4 },
    { run$: runsOf(lines, strategyOf), runTogether$: () => EMPTY },
  )

/** Emits each price, again after a promise, and again after 500 ms. */
const strategyWithTimer$: Strategy$ = (client) => {
  const price$ = prices$(client)
  return merge(
    price$,
    price$.pipe(concatMap((price) => Promise.resolve(`promise ${price}`))),
    price$.pipe(
      delay(500),
      map((price) => `later ${price}`),
    ),
  )
}

describe('a strategy over prefixes of a recording', () => {
  it(
    'has equal outputs if it uses no later row, with timers, outages and all operators',
    { timeout: 120_000 },
    async () => {
      const some = Object.entries(strategies).filter((_, index) => isLong || index % 5 === 0)
      for (const steps of fc.sample(market, { numRuns: caseCount(5), seed: inject('seed') })) {
        const lines = linesOf(runLive(steps, strategies['every event']!).recording)
        let equal = 0
        for (const [name, strategy$] of some) {
          const result = await lookAheadOf(lines, () => strategy$, 12)
          if (result._tag === 'Equal') equal++
          // Some emit at the end alone, and some fail on purpose.
          else expect(['NoOutput', 'Failed'], `${name}: ${JSON.stringify(result)}`).toContain(result._tag)
        }
        expect(equal).toBeGreaterThan(some.length / 2)
      }
    },
  )

  it('has the output that a planted look-ahead changes, and the row that changes it', async () => {
    const planted = fc
      .record({
        rows: fc.array(fc.constantFrom(0, 1, 250), { minLength: 3, maxLength: 12 }),
        at: fc.nat(),
        by: fc.nat(),
      })
      .map(({ rows, at, by }) => {
        const index = at % (rows.length - 1)
        return { rows, index, distance: 1 + (by % (rows.length - 1 - index)) }
      })
    await fc.assert(
      fc.asyncProperty(planted, async ({ rows, index, distance }) => {
        let ms = 0
        // Line 1 is the header, row 0 is line 2.
        const lines = linesOf(
          recordingText(
            header,
            ...rows.map((after, row) => {
              ms += after
              return row === 1 ? errorRow(ms, down) : priceRow(ms, row + 1)
            }),
          ),
        )
        const line = 2 + index
        const strategyOf =
          (count: number): Strategy$ =>
          (client) =>
            client
              .price$(topic)
              .pipe(map((_, row) => (row === index && count >= line + distance ? 'ahead' : row)))
        expect(await lookAheadOf(lines, strategyOf)).toEqual({
          _tag: 'LookAhead',
          outputLine: line,
          changedBy: line + distance,
          before: { line, phase: 'line', event: { _tag: 'Value', value: index } },
          after: { line, phase: 'line', event: { _tag: 'Value', value: 'ahead' } },
        })
      }),
      { numRuns: caseCount(400) },
    )
  })

  it('has the phases of its outputs: at a line, between two lines, at the end', async () => {
    const lines = linesOf(recordingText(header, priceRow(0, 1), priceRow(1000, 2)))
    const [outputs = []] = await collect(runsOf(lines, () => strategyWithTimer$)(3))
    expect(
      outputs.map(({ line, phase, event }) => [
        line,
        phase,
        event._tag === 'Value' ? event.value : event._tag,
      ]),
    ).toEqual([
      [2, 'line', 1],
      [2, 'line', 'promise 1'],
      [2, 'between', 'later 1'],
      [3, 'line', 2],
      [3, 'line', 'promise 2'],
      [3, 'end', 'later 2'],
      [3, 'end', 'Completed'],
    ])
  })
})
