import { maxTimerMs } from '../domain/valid-numbers.js'

/** A condition on a value: as a predicate, and in words for an error message (`expected …`). */
export interface Check {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
  /** The value must not appear in a message. */
  readonly secret?: boolean
}

/** One check for each property of `T`. The names of the checks are the names that exist. */
export type Checks<T> = Readonly<Record<keyof T, Check>>

/** A whole number within bounds, both inclusive. */
export const integer = (min: number, max: number, noun = 'an integer'): Check => ({
  expected: `${noun} from ${min} to ${max}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
})

export const milliseconds = integer(1, maxTimerMs, 'a whole number of ms')

export const flag: Check = {
  expected: 'true or false',
  holds: (value) => typeof value === 'boolean',
}

export const oneOf = (...words: readonly string[]): Check => ({
  expected: words.map((word) => `'${word}'`).join(' or '),
  holds: (value) => typeof value === 'string' && words.includes(value),
})

export const plainObject: Check = {
  expected: 'an object',
  holds: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** An object that has all these methods. */
export const objectWith = (methods: readonly string[]): Check => ({
  expected: `an object with the methods ${methods.join(' and ')}`,
  holds: (value) =>
    plainObject.holds(value) &&
    methods.every((method) => typeof Reflect.get(value as object, method) === 'function'),
})
