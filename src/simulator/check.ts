import { SimulatorError } from './simulator-error.js'

/** What a value must be: in words for the message, and as a test. */
export interface Check {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
  /** The value must not be repeated in a message. */
  readonly secret?: boolean
}

/** What must hold of each field of `T`, and so also which fields there are. */
export type Checks<T> = Readonly<Record<keyof T, Check>>

/** The longest time that a timer of Node takes, in ms. */
const longestTimer = 2_147_483_647

export const integer = (from: number, to: number, what = 'an integer'): Check => ({
  expected: `${what} from ${from} to ${to}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= from && (value as number) <= to,
})

export const portCheck = integer(0, 65_535, 'a port')

export const milliseconds = integer(1, longestTimer, 'a whole number of ms')

export const flag: Check = {
  expected: 'true or false',
  holds: (value) => typeof value === 'boolean',
}

export const oneOf = (...choices: readonly string[]): Check => ({
  expected: choices.map((choice) => `'${choice}'`).join(' or '),
  holds: (value) => typeof value === 'string' && choices.includes(value),
})

/** Passes what is checked; `undefined` counts as absent. `kind` names a field in messages. */
export const checkFields = <T extends object>(values: T, checks: Checks<T>, kind: string): void => {
  checkValue(`${kind}s`, values, fields)
  const known: Readonly<Record<string, Check>> = checks
  for (const [name, value] of Object.entries(values)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined
    if (check === undefined) {
      throw new SimulatorError(name, `there is no such ${kind}; there are ${Object.keys(known).join(', ')}`)
    }
    if (value !== undefined) checkValue(name, value, check)
  }
}

const fields: Check = {
  expected: 'an object',
  holds: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const checkValue = (name: string, value: unknown, check: Check): void => {
  if (check.holds(value)) return
  const got = check.secret === true ? '' : `, got ${shown(value)}`
  throw new SimulatorError(name, `expected ${check.expected}${got}`)
}

const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}
