import { InvalidArgumentError, Option, type Command } from 'commander'
import { maxTimerMs } from '../../base/domain/valid-numbers.js'
import { messageOf, printable } from '../../base/errors/text.js'
import type { NumberOption } from '../../base/option-kinds/number-option.js'
import type { Check } from '../../base/option-kinds/option.js'

/** Invalid arguments. The command prints the message, and where its help is. */
export class UsageError extends Error {}

export const usageError = (problem: string): never => {
  throw new UsageError(problem)
}

/** A flag of a command, with the type of its value. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- read from the type alone
export class Flag<A> extends Option {
  /** Only for the type: no flag has the field. */
  declare readonly value?: A
}

/** The flags of a command, by the names that commander gives to their values. */
export type Flags = Readonly<Record<string, Flag<unknown>>>

export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer A> ? A : never
}

/** The flags that the user has given, as options: an option that is `undefined` is an error. */
export const onlyGiven = <A extends object>(flags: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as never

/** Adds flags to a command. Their names must be those that commander gives to their values. */
export const addFlags = (command: Command, flags: Flags): Command => {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.attributeName() !== name) throw new Error(`${flag.flags}: its value is not named ${name}`)
    command.addOption(flag)
  }
  return command
}

export const textFlag = (flags: string, help: string) => new Flag<string | undefined>(flags, help)

export const requiredFlag = (flags: string, help: string) =>
  new Flag<string>(flags, help).makeOptionMandatory()

export const toggle = (flags: string, help: string) => new Flag<boolean | undefined>(flags, help)

/** A flag whose text is parsed. `previous`: the value of the same flag before it. */
export const parsedFlag = <A>(
  flags: string,
  help: string,
  parse: (text: string, previous: A | undefined) => A,
) => new Flag<A | undefined>(flags, help).argParser<A | undefined>(parse)

/** A flag that takes a number, with the bounds and the default of an option. */
export const numberFlag = (flags: string, help: string, described: NumberOption) =>
  new Flag<number>(flags, help).argParser(parseNumber(described)).default(described.default)

// Parsers of numbers, durations, times and JSON. Commander prepends the name of the flag to the error message.

export const parseNumber =
  (described: Check) =>
  (text: string): number => {
    // Only decimal digits: `Number` also reads `1e3`, `0x10` and the empty text.
    const value = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN
    if (described.holds(value)) return value
    throw new InvalidArgumentError(`Give ${described.expected}.`)
  }

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new InvalidArgumentError(`Give JSON: ${printable(messageOf(thrown))}.`)
  }
}

/** In ms. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `15m` or `0.5s` in ms; NaN for another text. `plain`: the unit of a number without one, in ms. */
const durationOf = (text: string, plain = NaN): number => {
  const [, digits = 'NaN', unit] = /^(\d{1,8}(?:\.\d+)?)(ms|[smhd])?$/.exec(text) ?? []
  return Number(digits) * (unit === undefined ? plain : (units[unit] ?? NaN))
}

/** `least` in ms, `days` at most. */
const withinLimits = (ms: number, least: number, days: number, request: string): number => {
  if (ms >= least && ms <= days * 86_400_000) return ms
  throw new InvalidArgumentError(`${request} a duration like 30s, 15m, 1h or 1d, at most ${days}d.`)
}

/** Parses the argument of `--rotate` and `--keep`, such as `15m`. Returns ms. */
export const parseRotation = (text: string): number => withinLimits(durationOf(text), 1000, 365, 'Give')

/** Whole days that a timer can wait. */
const longestRun = Math.floor(maxTimerMs / 86_400_000)

/** Parses the argument of `--duration`: a number of seconds, or a duration such as `15m`. Returns ms. */
export const parseDuration = (text: string): number =>
  withinLimits(durationOf(text, 1000), 1, longestRun, 'Give a number of seconds above 0, or')

/** Parses the argument of `--latency`: `50`, `50ms` or `1s`. Returns ms. */
export const parseLatency = (text: string): number => {
  const ms = durationOf(text, 1)
  if (ms >= 0) return ms
  throw new InvalidArgumentError('Give a time like 50ms or 1s.')
}

/** Parses the length of candles, such as `1h` or `1mo`. */
export const parseInterval = (text: string): { readonly ms: number } | { readonly months: number } => {
  const months = Number(/^(\d{1,3})mo$/.exec(text)?.[1] ?? 0)
  return months > 0 ? { months } : { ms: parseRotation(text) }
}

/** The lengths of the two ranges of a window, in ms. */
export interface WalkForwardLengths {
  readonly train: number
  readonly test: number
}

/** Parses the argument of `--walk-forward`, such as `7d/1d`. */
export const parseWalkForward = (text: string): WalkForwardLengths => {
  const [train = 0, test = 0, ...others] = text.split('/').map((each) => durationOf(each))
  if (train > 0 && test > 0 && others.length === 0) return { train, test }
  throw new InvalidArgumentError(
    'Give the lengths of training and test, each with its unit, like 7d/1d, 12h/90m or 60s/10s.',
  )
}

/** A date, or a date and a time with its zone. Without a zone, the meaning would depend on the machine. */
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Parses a time: ISO 8601, or ms since the Unix epoch, from 1973 on: a smaller number is one of seconds. Returns ms. */
export const parseTime = (text: string): number => {
  // `Date.parse` takes a day that its month lacks for one of the next month.
  const isDay = new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10))
  const time = isoTime.test(text) && isDay ? Date.parse(text) : /^\d{12,15}$/.test(text) ? Number(text) : NaN
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError(
    'Give a time like 2026-11-22T10:00:00Z or 2026-11-22, or ms (not seconds) since the Unix epoch.',
  )
}
