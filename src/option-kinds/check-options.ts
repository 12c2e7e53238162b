import { ConfigurationError } from '../errors/configuration-error.js'
import { plainObject, type Check } from './check.js'
import { closestName } from './closest-name.js'
import type { NumberOption } from './number-option.js'
import type { CheckedOption, Option, OptionKind } from './option.js'

type Table = Readonly<Record<string, Option<unknown>>>

// Each function throws a `ConfigurationError` that names the option. `path` is the prefix of a nested option's name.

export const checkOption = (name: string, value: unknown, check: Check): void => {
  if (!check.holds(value)) throw new ConfigurationError(name, `expected ${check.expected}`)
}

/** Checks that the options are an object, and those that are flags, functions or objects. */
export const checkShapes = (options: object, table: Table): void => {
  checkOption('options', options, plainObject)
  for (const [name, option] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined && hasShape(option)) checkOption(name, value, option)
  }
}

const shapes: readonly OptionKind[] = ['boolean', 'function', 'object', 'options']

const hasShape = (option: Option<unknown>): option is CheckedOption<unknown> => shapes.includes(option.kind)

/** Checks the names and the values of options that their checks describe completely. `undefined` counts as absent. */
export const checkAll = (options: object, table: Readonly<Record<string, CheckedOption<unknown>>>): void => {
  checkOption('options', options, plainObject)
  for (const name of Object.keys(options)) checkSpelling(name, table)
  for (const [name, option] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined) checkOption(name, value, option)
  }
}

/** Rejects misspelt option names and explicit `undefined`. Other unknown names are accepted, so that callers can spread. */
export const checkNames = (options: object, table: Table, path = ''): void => {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    checkSpelling(name, table, path)
    checkDefined(path + name, value)
    const option = table[name]
    if (option !== undefined && isNested(option)) checkNames(value as object, option.table, `${path}${name}.`)
  }
}

/** Rejects an explicit `undefined`, such as that of an environment variable that is not set. */
export const checkDefined = (name: string, value: unknown): void => {
  if (value === undefined) {
    throw new ConfigurationError(name, 'is undefined; omit the option or set a value')
  }
}

export const checkSpelling = (name: string, table: Readonly<Record<string, unknown>>, path = ''): void => {
  const meant = Object.hasOwn(table, name) ? undefined : closestName(name, Object.keys(table))
  if (meant !== undefined) throw new ConfigurationError(path + name, `did you mean ${path}${meant}?`)
}

const isNested = (option: Option<unknown>): option is Option<unknown> & { readonly table: Table } =>
  option.kind === 'options'

/** The numbers of the table, from the options or by default. */
export const numbersOf = <K extends string>(
  options: Readonly<Partial<Record<NoInfer<K>, unknown>>>,
  table: Readonly<Record<K, NumberOption & { readonly default: number }>>,
  path = '',
): Readonly<Record<K, number>> => {
  const numberOf = (name: K): number => {
    const value = options[name]
    if (value === undefined) return table[name].default
    checkOption(path + name, value, table[name])
    return value as number
  }
  const names = Object.keys(table) as K[]
  return Object.fromEntries(names.map((name) => [name, numberOf(name)])) as Record<K, number>
}
