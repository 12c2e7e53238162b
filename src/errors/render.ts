import type { AnyError, DecodeIssue } from './model.js'

/** Formats an error as one line for a log: `_tag: message`. */
export const renderError = (error: AnyError): string => `${error._tag}: ${error.message}`

/**
 * Calls the function for the error's `_tag`. It compiles only if every possible `_tag` has a function.
 *
 * @example
 * import type { Disconnected, Stale } from 'svc-streams'
 * const waitMs = (error: Stale | Disconnected): number =>
 *   matchError(error, { Stale: (e) => e.silentForMs, Disconnected: (e) => e.retryInMs })
 */
export const matchError = <
  E extends AnyError,
  Cases extends { [Tag in E['_tag']]: (error: Extract<E, { _tag: Tag }>) => unknown },
>(
  error: E,
  cases: Cases,
): ReturnType<Cases[E['_tag']]> => {
  const branch = cases[error._tag as E['_tag']] as (error: E) => ReturnType<Cases[E['_tag']]>
  return branch(error)
}

/** Formats an issue as `buy.total_quantity: expected integer, got "x"`. */
export const renderIssue = ({ path, expected, actual }: DecodeIssue): string =>
  `${path === '' ? '' : `${path}: `}expected ${expected}, got ${actual}`
