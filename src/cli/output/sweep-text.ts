import { isLeft } from 'fp-ts/lib/Either.js'
import { formatDuration } from '../../display/texts.js'
import { escapeUnsafe } from '../../errors/escape-unsafe.js'
import { oneLine, printable } from '../../errors/text.js'
import type { SweepResult } from '../../sweep/index.js'
import { drawTable, type Column } from './table.js'
import type { Colours } from './terminal.js'

// The results of a sweep, as the command prints them.

type Result = SweepResult<unknown, unknown>

/** One line for people. */
export const sweepLine = (result: Result): string =>
  isLeft(result)
    ? `${jsonText(result.left.parameter)}  ${failureText(result)}`
    : [
        jsonText(result.right.parameter),
        `${result.right.values.length} values`,
        `${result.right.summary.rows} rows`,
        ...lastValueTexts(result.right.values).map((text) => `last ${text}`),
      ].join('  ')

/** One line for programs. Throws if a value has no JSON. */
export const sweepJson = (result: Result): string => escapeUnsafe(stringify(result))

/** The lines of a table on a terminal. */
export const sweepTable = (
  results: readonly Result[],
  width: number,
  { failed, dim }: Colours,
): readonly string[] => drawTable(columnsOf(results, failed), width, dim)

const columnsOf = (results: readonly Result[], failed: Colours['failed']): readonly Column[] => [
  {
    title: 'parameter',
    align: 'left',
    rank: 0,
    width: 20,
    cells: results.map((result) => ({
      text: jsonText(isLeft(result) ? result.left.parameter : result.right.parameter),
      canCut: true,
    })),
  },
  {
    title: 'values',
    align: 'right',
    rank: 2,
    width: 0,
    cells: results.map((result) => ({ text: isLeft(result) ? '' : String(result.right.values.length) })),
  },
  {
    title: 'rows',
    align: 'right',
    rank: 3,
    width: 0,
    cells: results.map((result) => ({ text: isLeft(result) ? '' : String(result.right.summary.rows) })),
  },
  {
    title: 'last value',
    align: 'left',
    rank: 1,
    width: 40,
    cells: results.map((result) =>
      isLeft(result)
        ? { text: failureText(result), paint: failed, canCut: true }
        : { text: lastValueTexts(result.right.values).join(''), canCut: true },
    ),
  },
]

const failureText = ({ left: { message } }: Extract<Result, { _tag: 'Left' }>): string =>
  printable(`failed: ${message}`)

/** The last value, if there is one. */
const lastValueTexts = (values: readonly unknown[]): readonly string[] => values.slice(-1).map(jsonText)

/** A value as JSON on one line of limited length. */
const jsonText = (value: unknown): string => {
  try {
    return oneLine(stringify(value))
  } catch {
    return 'a value without JSON'
  }
}

/** JSON with bigints as decimal strings, so that no reader loses digits. */
const stringify = (value: unknown): string =>
  value === undefined
    ? 'undefined'
    : JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field))

/** How far a sweep is. */
export interface ShownProgress {
  readonly finished: number
  readonly parameters: number
  readonly rows: number
  /** In ms. */
  readonly duration: number
}

export const sweepProgressLine = ({ finished, parameters, rows, duration }: ShownProgress): string =>
  [`${finished} of ${parameters} parameters`, `${rows} rows`, formatDuration(duration)].join('  ')
