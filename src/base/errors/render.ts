import type { DecodeIssue, Tagged } from './model.js'

/** Formats an error of the library as one line for a log: `_tag: message`. */
export const renderError = (error: Tagged<string>): string => `${error._tag}: ${error.message}`

/**
 * Calls the function for the error's `_tag`, or `_` if that function is missing. Compiles only if every possible `_tag`
 * has a function, or `_` exists.
 *
 * @example
 * import type { PriceError } from 'svc-streams'
 * const waitMs = (error: PriceError): number =>
 *   matchError(error, { Stale: (e) => e.silentForMs, Disconnected: (e) => e.retryInMs, _: () => 0 })
 */
export const matchError = <
  E extends Tagged<string>,
  Cases extends { [Key in Keys]: (error: ErrorOfCase<E, Key, Keys>) => unknown },
  Keys extends E['_tag'] | '_' = E['_tag'],
>(
  error: E,
  cases: Cases & Readonly<Record<Keys, unknown>> & Complete<E, Keys>,
): ReturnType<Cases[Keys]> => {
  const byTag: Readonly<Partial<Record<string, unknown>>> = cases
  const branch = (byTag[error._tag] ?? byTag['_']) as (error: E) => ReturnType<Cases[Keys]>
  return branch(error)
}

/** The error that the case `Key` takes, if `Keys` are the keys of all cases. */
type ErrorOfCase<E extends Tagged<string>, Key, Keys> = Key extends '_'
  ? Exclude<E, { readonly _tag: Keys }>
  : Extract<E, { readonly _tag: Key }>

/** Without `_`, every `_tag` is required. */
type Complete<E extends Tagged<string>, Keys> = '_' extends Keys
  ? unknown
  : Readonly<Record<E['_tag'], unknown>>

/** Formats an issue as `buy.total_quantity: expected integer, got "x"`. */
export const renderIssue = ({ path, expected, actual }: DecodeIssue): string =>
  `${path === '' ? '' : `${path}: `}expected ${expected}, got ${actual}`
