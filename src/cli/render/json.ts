import { bigintAsText, withPlainDecimals } from '../../base/domain/plain-decimal.js'
import { escapeUnsafe } from '../../base/errors/text.js'

/**
 * A value as JSON for the output of a command: no reader loses digits of a bigint, which becomes a decimal string, numbers
 * have no exponent, and no text of a service or a file changes how a terminal shows other text. `undefined` has no JSON.
 */
export const outputJson = (value: unknown, indent?: number): string =>
  value === undefined
    ? 'undefined'
    : escapeUnsafe(withPlainDecimals(JSON.stringify(value, bigintAsText, indent)))
