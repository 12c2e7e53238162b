import { defer, finalize, tap, type MonoTypeOperatorFunction } from 'rxjs'
import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import { stringOption } from '../../../base/option-kinds/option.js'
import { checkValue } from '../../../base/option-kinds/parse-options.js'
import { rxClock } from '../../../base/time/clock.js'
import { namingFile, openLineFile } from '../files/line-file.js'

/**
 * Writes each value to a file before it passes it: a line of JSON, `{ at, value }`, with the time in ms since the Unix epoch. A `bigint`
 * is written as text; `NaN`, infinities, `-0`, a `Map` and a `Set` by their names, as `{ $number: 'NaN' }`; `undefined` and a function
 * as `null`. The command `verify` compares these values with those of a replay.
 *
 * Lines are appended to an existing file. Each line is written synchronously: a killed process loses no value that was
 * passed on. A last line without an end, which a killed process left, is removed at the next start.
 *
 * Fails with an `Error` that names the file if the file cannot be written, if another process writes to it, or if JSON cannot
 * represent the value. The value is not passed on then: a decision that is not in the journal must not be carried out. Throws
 * a `ConfigurationError` if `path` is not a path.
 *
 * @example
 * myStrategy(client).pipe(journal('live.ndjson')).subscribe(log)
 */
export const journal = <A>(path: string): MonoTypeOperatorFunction<A> => {
  checkValue('path', path, pathCheck)
  return (source$) =>
    defer(() => {
      const name = `journal ${path}`
      const file = namingFile(name, () => openLineFile(path, '{"at":'))
      return source$.pipe(
        tap((value) => namingFile(name, () => file.append(lineOf(rxClock.wallClock(), value)))),
        finalize(() => file.close()),
      )
    })
}

const pathCheck = stringOption(/./, 'the path of a file')

const lineOf = (at: number, value: unknown): string =>
  `{"at":${Math.floor(at)},"value":${journalJson(value)}}\n`

/** The JSON of a value. `undefined` and functions, which have none, are `null`. */
export const journalJson = (value: unknown): string => {
  const text: unknown = JSON.stringify(value, distinctly)
  return typeof text === 'string' ? text : 'null'
}

/** A replacer: keeps what JSON would write as `null`, `0` or `{}`, so that `verify` finds the difference. */
const distinctly = (name: string, value: unknown): unknown => {
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) }
  if (value instanceof Map || value instanceof Set) return { [`$${value.constructor.name}`]: [...value] }
  return bigintAsText(name, value)
}
