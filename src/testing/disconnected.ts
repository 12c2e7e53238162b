import { disconnected as createDisconnected } from '../errors/constructors.js'
import type { Disconnected } from '../errors/model.js'
import { checkedOption, required, type OptionTable } from '../option-kinds/option.js'
import { parseOptions } from '../option-kinds/parse-options.js'

type Fields = Omit<Disconnected, '_tag' | 'message'>

/** Builds a `Disconnected`, as a client emits it. Throws a `ConfigurationError` for a missing or an invalid field. */
export const disconnected = (fields: Fields): Disconnected => {
  parseOptions(fieldTable, fields, { name: 'fields', allowsUndefined: true })
  return createDisconnected(fields)
}

const finiteNumber = required(
  checkedOption<number>('number', { expected: 'a finite number', holds: Number.isFinite }),
)

const fieldTable = {
  code: finiteNumber,
  reason: required(
    checkedOption<string>('string', { expected: 'a string', holds: (value) => typeof value === 'string' }),
  ),
  attempt: finiteNumber,
  retryInMs: finiteNumber,
} satisfies OptionTable<Fields>
