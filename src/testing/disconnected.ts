import { disconnected as createDisconnected } from '../errors/constructors.js'
import type { Disconnected } from '../errors/model.js'
import { plainObject, type Check, type Checks } from '../option-kinds/check.js'
import { checkOption, checkSpelling } from '../option-kinds/check-options.js'

type Fields = Omit<Disconnected, '_tag' | 'message'>

/** Builds a `Disconnected`, as a client emits it. Throws a `ConfigurationError` for a missing or an invalid field. */
export const disconnected = (fields: Fields): Disconnected => {
  checkOption('fields', fields, plainObject)
  for (const name of Object.keys(fields)) checkSpelling(name, checks)
  for (const [name, check] of Object.entries<Check>(checks)) {
    checkOption(name, Reflect.get(fields, name), check)
  }
  return createDisconnected(fields)
}

const finiteNumber: Check = { expected: 'a finite number', holds: Number.isFinite }

const checks: Checks<Fields> = {
  code: finiteNumber,
  reason: { expected: 'a string', holds: (value) => typeof value === 'string' },
  attempt: finiteNumber,
  retryInMs: finiteNumber,
}
