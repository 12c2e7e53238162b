import { ConfigurationError } from '../errors/configuration-error.js'
import { asText, truncate } from '../errors/text.js'
import { plainObject, type Check, type Field, type Table } from './option.js'

/** The differences between the functions that take options. */
export interface CheckRules {
  /** The name of the options as a whole, in errors. Default: `options`. */
  readonly name?: string
  /** A description of the options as a whole. Default: `an object`. */
  readonly expected?: string
  /** Further valid names. Their values are not checked. */
  readonly otherNames?: readonly string[]
  /** `undefined` counts as absent. Default: `undefined` is an error, because it may be an unset environment variable. */
  readonly allowsUndefined?: boolean
  /**
   * The kind of the names, such as `fault`: each unknown name is then an error. Default: only a misspelt name is an
   * error, so that callers can spread objects with other properties.
   */
  readonly rejectsUnknown?: string
  /** Formats a rejected value for the error. Default: errors do not contain the value. */
  readonly format?: (value: unknown) => string
  readonly Failure?: new (name: string, problem: string) => Error
}

/** For values without secrets: errors contain them. `undefined` counts as absent. */
export const shown: CheckRules = { allowsUndefined: true, format: (value) => display(value) }

/** The options of a table, completed by their defaults. */
export type Completed<T> = {
  readonly [K in keyof T]: T[K] extends { readonly default: unknown } | { readonly required: true }
    ? ValueOf<T[K]>
    : ValueOf<T[K]> | undefined
}

type ValueOf<O> = O extends { readonly table: infer T } ? Completed<T> : O extends Field<infer A> ? A : never

/** Throws an error for the first misspelt name or invalid value, and adds the defaults. `path`: the name of nested options. */
export const parseOptions = <T extends Table>(
  table: T,
  options: unknown,
  rules: CheckRules = {},
  path?: string,
): Completed<T> => {
  const { name: whole = 'options', expected = 'an object', otherNames = [] } = rules
  const { rejectsUnknown: noun, Failure = ConfigurationError } = rules
  const known = [...Object.keys(table), ...otherNames]
  const nameOf = (name: string): string => (path === undefined ? name : `${path}.${name}`)
  const fail = (name: string, problem: string): never => {
    throw new Failure(nameOf(name), problem)
  }
  const checkUnknown = (name: string): void => {
    if (noun !== undefined) fail(name, `unknown ${noun}; expected one of ${known.join(', ')}`)
    const meant = closestName(name, known)
    if (meant !== undefined) fail(name, `did you mean ${nameOf(meant)}?`)
  }

  checkValue(path ?? whole, options, { ...plainObject, expected }, rules)
  for (const [name, value] of Object.entries(options as object) as [string, unknown][]) {
    if (!known.includes(name)) checkUnknown(name)
    else if (value === undefined && rules.allowsUndefined !== true)
      fail(name, 'is undefined; omit the option or set a value')
  }

  const valueOf = (name: string, field: Table[string]): unknown => {
    const { [name]: value = field.default } = options as Readonly<Record<string, unknown>>
    if (value === undefined && field.required !== true) return undefined
    checkValue(nameOf(name), value, field, rules)
    return field.table === undefined ? value : parseOptions(field.table, value, rules, nameOf(name))
  }
  const values = Object.entries(table).map(([name, field]) => [name, valueOf(name, field)] as const)
  return Object.fromEntries(values) as Completed<T>
}

export const checkValue = (
  name: string,
  value: unknown,
  { expected, holds, secret = false }: Check,
  rules: CheckRules = {},
): void => {
  if (holds(value)) return
  const received = rules.format === undefined || secret ? '' : `, got ${rules.format(value)}`
  const { Failure = ConfigurationError } = rules
  throw new Failure(name, `expected ${expected}${received}`)
}

/** Formats a rejected value. Line breaks of a string are escaped, because they may be the fault. */
export const display = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(truncate(value, 100)) : asText(value)

/**
 * The name that `name` is probably a misspelling of, or `undefined`. Upper and lower case do not count as a difference.
 * One edit is a misspelling if one of the two names has 3 characters or more, two edits if both have 8 or more.
 */
export const closestName = (name: string, names: readonly string[]): string | undefined => {
  const isMeant = (edits: number) => (candidate: string) =>
    edits <= allowedEdits(name.length, candidate.length) &&
    areWithin(edits, name.toLowerCase(), candidate.toLowerCase())
  return names.find(isMeant(0)) ?? names.find(isMeant(1)) ?? names.find(isMeant(2))
}

const allowedEdits = (length: number, otherLength: number): number => {
  if (Math.min(length, otherLength) >= 8) return 2
  return Math.max(length, otherLength) >= 3 ? 1 : 0
}

/** True if so many insertions, deletions, replacements and swaps of neighbours at most turn one text into the other. */
const areWithin = (edits: number, a: string, b: string): boolean => {
  if (a === b) return true
  const [a0, a1] = a
  const [b0, b1] = b
  if (a0 === b0) return areWithin(edits, a.slice(1), b.slice(1))
  if (edits === 0) return false
  return (
    areWithin(edits - 1, a.slice(1), b) ||
    areWithin(edits - 1, a, b.slice(1)) ||
    areWithin(edits - 1, a.slice(1), b.slice(1)) ||
    (a0 === b1 && a1 === b0 && areWithin(edits - 1, a.slice(2), b.slice(2)))
  )
}
