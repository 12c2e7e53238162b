import { escapeUnsafe } from '../../errors/text.js'

/**
 * A value as JSON for the output of a command: no reader loses digits of a bigint, which becomes a decimal string, and no
 * text of a service or a file changes how a terminal shows other text. `undefined` has no JSON.
 */
export const outputJson = (value: unknown, indent?: number): string =>
  value === undefined
    ? 'undefined'
    : escapeUnsafe(
        JSON.stringify(
          value,
          (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field),
          indent,
        ),
      )
