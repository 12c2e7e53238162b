import { flag, objectWith, oneOf, plainObject, type Check } from './check.js'

/** The type of an option, as the documentation names it. */
export type OptionKind =
  | 'number'
  | 'integer'
  | 'string'
  | 'string or bytes'
  | 'array'
  | 'URL'
  | 'word'
  | 'boolean'
  | 'function'
  | 'object'
  | 'options'

/**
 * The description of an option. The check, the suggestion for a misspelt name, the documentation and the flags of the
 * command line are derived from it.
 */
export interface Option<A> {
  readonly kind: OptionKind
  /** The accepted values, in words. */
  readonly expected: string
  readonly default?: A
}

/** An option that the description alone checks. A key, an address or a certificate is checked by its parser. */
export interface CheckedOption<A> extends Option<A>, Check {}

export interface UrlOption extends Option<string> {
  readonly schemes: readonly [secure: string, plain: string]
}

/** An option that is an object of options, such as `reconnect`. */
export interface NestedOption<A> extends CheckedOption<A> {
  readonly table: OptionTable<A>
}

/**
 * The descriptions of all properties of `T`, for `satisfies`: a missing or additional one is a compile error, and so
 * is one of another type.
 */
export type OptionTable<T> = {
  readonly [K in keyof T]-?: Option<Exclude<T[K], undefined>> &
    (object extends Pick<T, K> ? { readonly required?: never } : { readonly required: true })
}

/** What the caller of a constructor gives. */
export interface Described<A> {
  readonly default?: A
}

/** An option with a check of its own. */
export const checkedOption = <A, S extends Described<A> = Described<A>>(
  kind: OptionKind,
  check: Check,
  described = {} as S,
): CheckedOption<A> & S => ({ kind, ...check, ...described })

export const flagOption = (described: Described<boolean>): CheckedOption<boolean> =>
  checkedOption('boolean', flag, described)

/** One of several words. */
export const wordOption = <A extends string>(
  words: readonly A[],
  described: Described<A> & { readonly required: true },
) => checkedOption<A, typeof described>('word', oneOf(...words), described)

/** A string that matches a pattern; `expected` describes the pattern. */
export const stringOption = <S extends Described<string>>(
  pattern: RegExp,
  expected: string,
  described: S,
): CheckedOption<string> & S =>
  checkedOption(
    'string',
    { expected, holds: (value) => typeof value === 'string' && pattern.test(value) },
    described,
  )

export const functionOption = <A>(): CheckedOption<A> =>
  checkedOption('function', { expected: 'a function', holds: (value) => typeof value === 'function' })

/** An object of the caller that has these methods. */
export const objectOption = <A>(methods: readonly (keyof A & string)[]): CheckedOption<A> =>
  checkedOption('object', objectWith(methods))

export const nestedOption = <A>(table: OptionTable<A>): NestedOption<A> => ({
  ...checkedOption<A>('options', plainObject),
  table,
})

/** A value that its own parser checks, such as a key; `expected` repeats that parser's words. */
export const parsedOption = <A>(kind: OptionKind, expected: string): Option<A> => ({ kind, expected })

/** An address, which `parseUrl` checks. */
export const urlOption = (schemes: UrlOption['schemes']): UrlOption => ({
  kind: 'URL',
  schemes,
  expected: `a URL like ${schemes.map((scheme) => `${scheme}//…`).join(' or ')}`,
})
