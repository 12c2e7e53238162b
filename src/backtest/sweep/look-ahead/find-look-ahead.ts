import { isDeepStrictEqual } from 'node:util'
import {
  count,
  firstValueFrom,
  from,
  lastValueFrom,
  map,
  mergeMap,
  range,
  reduce,
  takeWhile,
  toArray,
  type Observable,
} from 'rxjs'
import type { Output } from '../messages.js'
import { inOrder } from '../sweep.js'

/** Runs a strategy over the first lines of a recording. Emits all its outputs, in order, at once. */
export type RunPrefix$ = (lines: number) => Observable<readonly Output[]>

/** How a strategy runs. */
export interface PrefixRuns {
  /** Without any state of another run. */
  readonly run$: RunPrefix$
  /**
   * Over several prefixes in ascending order, in sequence, at a fraction of the cost. State of earlier runs may remain.
   * Emits the outputs of each prefix, and may complete before the last prefix.
   */
  readonly runTogether$: (prefixes: readonly number[]) => Observable<readonly Output[]>
}

export interface LookAheadSettings {
  /** The number of lines of the recording, headers included. */
  readonly lines: number
  /** The most prefixes that are compared before a difference is found. */
  readonly prefixes: number
  /** The most runs at a time. */
  readonly workers: number
}

/** The result of the comparison of a strategy with itself. */
export type LookAheadResult =
  | {
      /** Each prefix has the outputs of the whole recording. */
      readonly _tag: 'Equal'
      /** Number of prefixes that were compared. */
      readonly prefixes: number
      /** Number of outputs before the end of the recording. */
      readonly outputs: number
    }
  | {
      /** An output changes with a later line. */
      readonly _tag: 'LookAhead'
      /** The line at which the output came, or may come at the earliest, counted from 1. */
      readonly outputLine: number
      /** The line whose presence changes the output, later than `outputLine`. */
      readonly changedBy: number
      /** The output without that line; `undefined` if there is none. */
      readonly before: Output | undefined
      /** The output with it. */
      readonly after: Output | undefined
    }
  | {
      /** Two runs over the same lines differ. */
      readonly _tag: 'NotDeterministic'
      /** The number of these lines. */
      readonly lines: number
      readonly first: Output | undefined
      readonly second: Output | undefined
    }
  | {
      /** The strategy fails over the whole recording. */
      readonly _tag: 'Failed'
      readonly output: Output
    }
  | {
      /** The strategy emits no value before the end of the recording. */
      readonly _tag: 'NoOutput'
    }

/**
 * Compares the outputs of a strategy over prefixes of a recording with those over the whole recording. An output that
 * came at a line must not change with later lines. Outputs at the end of a run are not compared: a sum over all rows
 * depends on all rows. Half of the prefixes end at lines with an output; the other half is spread evenly over the
 * recording. The prefixes run together first. A difference may come from the state of an earlier run, so this prefix
 * and the later ones run again, each in a separate run. A strategy takes at most 2 + `prefixes` runs, `workers` more if
 * runs together differ, and 3 + 2 log2(`lines`) more if the strategy looks ahead.
 */
export const findLookAhead = async (
  settings: LookAheadSettings,
  { run$, runTogether$ }: PrefixRuns,
): Promise<LookAheadResult> => {
  const { lines, workers } = settings
  const [whole = [], again = []] = await firstValueFrom(
    range(0, 2).pipe(
      mergeMap((index) => run$(lines).pipe(map((outputs) => ({ index, outputs }))), workers),
      inOrder(),
      map(({ outputs }) => outputs),
      toArray(),
    ),
  )
  const unequal = firstDifference(whole, again)
  if (unequal >= 0) return { _tag: 'NotDeterministic', lines, first: whole[unequal], second: again[unequal] }
  const failed = whole.find(({ event }) => event._tag === 'Failed')
  if (failed !== undefined) return { _tag: 'Failed', output: failed }
  const compared = whole.filter(({ phase, event }) => phase !== 'end' && event._tag === 'Value')
  if (compared.length === 0) return { _tag: 'NoOutput' }

  const prefixes = choosePrefixes(compared, settings)
  const undecided = await lastValueFrom(
    from(sharesOf(prefixes, workers)).pipe(
      mergeMap((share) =>
        runTogether$(share).pipe(
          takeWhile((outputs, index) => compare(share[index] ?? 0, outputs, whole).outputLine === undefined),
          count(),
          map((equal) => share.slice(equal)),
        ),
      ),
      reduce<readonly number[], readonly number[]>((all, some) => [...all, ...some], []),
    ),
  )
  const latest = await lastValueFrom(
    from([...undecided].sort((a, b) => a - b)).pipe(
      mergeMap(
        (prefix, index) =>
          run$(prefix).pipe(map((outputs) => ({ index, ...compare(prefix, outputs, whole) }))),
        workers,
      ),
      inOrder(),
      takeWhile(({ outputLine }) => outputLine === undefined, true),
    ),
    { defaultValue: undefined },
  )
  if (latest?.outputLine === undefined)
    return { _tag: 'Equal', prefixes: prefixes.length, outputs: compared.length }
  const { outputLine, prefix, outputs } = latest
  const runs = new Map([
    [lines, whole],
    [prefix, outputs],
  ])
  return locate(outputLine, runs, settings, run$)
}

/** The prefixes of each worker, round-robin, so that each worker has long and short prefixes. */
const sharesOf = (prefixes: readonly number[], workers: number): readonly (readonly number[])[] =>
  Array.from({ length: Math.min(workers, prefixes.length) }, (_, worker) =>
    prefixes.filter((_prefix, index) => index % workers === worker),
  )

/** The outputs of a prefix, and the earliest line at which they differ from those of the whole recording. */
const compare = (prefix: number, outputs: readonly Output[], whole: readonly Output[]) => {
  const shown = upTo(outputs, prefix)
  const expected = upTo(whole, prefix)
  const at = firstDifference(shown, expected)
  const differing = [shown[at], expected[at]].filter((output) => output !== undefined)
  return { prefix, outputs, outputLine: at < 0 ? undefined : Math.min(...differing.map(knownFrom)) }
}

/**
 * Finds the line that changes an output of `outputLine`. `runs`: outputs by the number of lines, of two runs that
 * differ there. The distance doubles first: most look-aheads are short, so most runs are short.
 */
const locate = async (
  outputLine: number,
  runs: ReadonlyMap<number, readonly Output[]>,
  { lines }: LookAheadSettings,
  run$: RunPrefix$,
): Promise<LookAheadResult> => {
  const runAgain = async (count: number) => upTo(await lastValueFrom(run$(count)), outputLine)
  const shown = new Map([...runs].map(([count, outputs]) => [count, upTo(outputs, outputLine)]))
  const shownBy = async (count: number): Promise<readonly Output[]> => {
    const outputs = shown.get(count) ?? (await runAgain(count))
    shown.set(count, outputs)
    return outputs
  }
  const without = await shownBy(outputLine)
  const isChanged = async (count: number): Promise<boolean> =>
    firstDifference(await shownBy(count), without) >= 0

  let unchanged = outputLine
  let changed = (await isChanged(lines)) ? lines : Math.min(...runs.keys())
  for (let step = 1; unchanged + step < changed; step *= 2) {
    const next = unchanged + step
    if (await isChanged(next)) changed = next
    else unchanged = next
  }
  while (changed - unchanged > 1) {
    const middle = Math.floor((unchanged + changed) / 2)
    if (await isChanged(middle)) changed = middle
    else unchanged = middle
  }

  for (const count of [outputLine, changed]) {
    const first = await shownBy(count)
    const second = await runAgain(count)
    const at = firstDifference(first, second)
    if (at >= 0) return { _tag: 'NotDeterministic', lines: count, first: first[at], second: second[at] }
  }
  const after = await shownBy(changed)
  const at = firstDifference(without, after)
  return { _tag: 'LookAhead', outputLine, changedBy: changed, before: without[at], after: after[at] }
}

/** The lengths of the prefixes, in ascending order: at most `prefixes`, half of them at outputs. */
export const choosePrefixes = (
  outputs: readonly Output[],
  { lines, prefixes }: Pick<LookAheadSettings, 'lines' | 'prefixes'>,
): readonly number[] => {
  const most = Math.min(prefixes, lines - 1)
  const atOutputs = [...new Set(outputs.map(knownFrom))].filter((line) => line < lines)
  const chosen = new Set<number>()
  const half = Math.min(atOutputs.length, Math.ceil(most / 2))
  const step = (atOutputs.length - 1) / Math.max(1, half - 1)
  for (let index = 0; index < half; index++) chosen.add(atOutputs[Math.round(index * step)] ?? 1)
  const others = most - chosen.size
  for (let index = 1; index <= others; index++)
    chosen.add(freeLine(chosen, Math.ceil((index * (lines - 1)) / (others + 1)), lines))
  return [...chosen].sort((a, b) => a - b)
}

/** The first line from `start` on that is not chosen, and after the last one the first of all. */
const freeLine = (chosen: ReadonlySet<number>, start: number, lines: number): number => {
  let line = start
  while (chosen.has(line)) line = (line % (lines - 1)) + 1
  return line
}

/** The length of the shortest prefix that shows an output: one between two lines is over when the second one comes. */
const knownFrom = ({ line, phase }: Output): number => (phase === 'line' ? line : line + 1)

/** The outputs that a prefix of `lines` lines shows. */
const upTo = (outputs: readonly Output[], lines: number): readonly Output[] =>
  outputs.filter((output) => output.phase !== 'end' && knownFrom(output) <= lines)

/** The index of the first difference; -1 if there is none. */
const firstDifference = (outputs: readonly Output[], others: readonly Output[]): number => {
  const length = Math.max(outputs.length, others.length)
  for (let at = 0; at < length; at++) if (!isDeepStrictEqual(outputs[at], others[at])) return at
  return -1
}
