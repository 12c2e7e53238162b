import { plainObject, type Check, type Checks } from '../option-kinds/check.js'
import { display } from '../option-kinds/display.js'
import { SimulatorError } from './simulator-error.js'

/** Throws a `SimulatorError` for an unknown or an invalid field. `undefined` counts as absent. `kind` names a field. */
export const checkFields = <T extends object>(values: T, checks: Checks<T>, kind: string): void => {
  checkValue(`${kind}s`, values, plainObject)
  const known: Readonly<Record<string, Check>> = checks
  for (const [name, value] of Object.entries(values)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined
    if (check === undefined) {
      throw new SimulatorError(name, `unknown ${kind}; expected one of ${Object.keys(known).join(', ')}`)
    }
    if (value !== undefined) checkValue(name, value, check)
  }
}

export const checkValue = (name: string, value: unknown, check: Check): void => {
  if (check.holds(value)) return
  const received = check.secret === true ? '' : `, got ${display(value)}`
  throw new SimulatorError(name, `expected ${check.expected}${received}`)
}
