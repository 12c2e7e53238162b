import { chainIds, type Environment } from '../domain/environment.js'

/** A condition on a value: a predicate, and a text for an error message (`expected …`). */
export interface Check {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
  /** The value must not appear in a message. */
  readonly secret?: boolean
}

/** One check for each property of `T`. The names of the checks are the valid names. */
export type Checks<T> = Readonly<Record<keyof T, Check>>

/** The properties of an option that `parseOptions` reads. */
export interface Field<A> extends Check {
  readonly default?: A
  /** The options that the value consists of. */
  readonly table?: Table
}

export type Table = Readonly<Record<string, Field<unknown> & { readonly required?: true }>>

/**
 * The description of an option. The check, the suggestion for a misspelt name, the documentation and the flags of the
 * command line are derived from it. Its meaning is in the doc comment of the option's type.
 */
export interface Option<A> extends Field<A> {
  /** The type of the option, as the documentation names it. */
  readonly kind: string
}

/** For `satisfies`: a missing or additional description of a property of `T`, or one of another type, is a compile error. */
export type OptionTable<T> = {
  readonly [K in keyof T]-?: Option<Exclude<T[K], undefined>> &
    (object extends Pick<T, K> ? { readonly required?: never } : { readonly required: true })
}

export const required = <O extends Option<unknown>>(option: O): O & { readonly required: true } => ({
  ...option,
  required: true,
})

export const withDefault = <A>(
  option: Option<A>,
  fallback: NoInfer<A>,
): Option<A> & { readonly default: A } => ({ ...option, default: fallback })

export const checkedOption = <A>(kind: string, check: Check): Option<A> => ({ kind, ...check })

/** A value that a separate parser checks, such as a key; `expected` equals the text of that parser. */
export const parsedOption = <A>(kind: string, expected: string): Option<A> =>
  checkedOption(kind, { expected, holds: () => true })

export const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' }

export const flagOption = (fallback: boolean) =>
  withDefault<boolean>(checkedOption('boolean', flag), fallback)

export const oneOf = (...words: readonly string[]): Check => ({
  expected: words.map((word) => `'${word}'`).join(' or '),
  holds: (value) => typeof value === 'string' && words.includes(value),
})

export const environmentOption = checkedOption<Environment>('word', oneOf(...Object.keys(chainIds)))

export const stringOption = <A extends string = string>(pattern: RegExp, expected: string): Option<A> =>
  checkedOption('string', {
    expected,
    holds: (value) => typeof value === 'string' && pattern.test(value),
  })

export const plainObject: Check = {
  expected: 'an object',
  holds: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const objectWith = (methods: readonly string[]): Check => ({
  expected: `an object with the methods ${methods.join(' and ')}`,
  holds: (value) =>
    plainObject.holds(value) &&
    methods.every((method) => typeof Reflect.get(value as object, method) === 'function'),
})

export const objectOption = <A>(methods: readonly (keyof A & string)[]): Option<A> =>
  checkedOption('object', objectWith(methods))

/** An object of options, such as `reconnect`. Its type is that of the table. */
export const nestedOption = <T extends Table>(
  table: T,
): Omit<Option<never>, 'table'> & { readonly table: T } => ({
  kind: 'options',
  ...plainObject,
  table,
})

/** `AbortSignal`, or `object` without the types of Node and of browsers, so that the declarations compile without them. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Platform } }
  ? Platform
  : object
