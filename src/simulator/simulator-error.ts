import type { Check, Table } from '../base/option-kinds/option.js'
import {
  checkValue as checkWith,
  display,
  parseOptions,
  type Completed,
  type CheckRules,
} from '../base/option-kinds/parse-options.js'

/** An invalid option, fault or argument of the simulator, or a port that cannot be listened on. */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError'

  constructor(
    /** Name of the option, fault or argument. */
    readonly option: string,
    /** Description of the problem and of its solution; never contains the auth key. */
    readonly problem: string,
    /** Error of the operating system, if there is one. */
    cause?: Error,
  ) {
    super(`${option}: ${problem}`, cause === undefined ? undefined : { cause })
  }
}

const rules: CheckRules = { allowsUndefined: true, format: display, Failure: SimulatorError }

/** Throws a `SimulatorError` for an unknown or an invalid field. `undefined` counts as absent. `noun` names a field. */
export const parseFields = <T extends Table>(table: T, values: unknown, noun: string): Completed<T> =>
  parseOptions(table, values, { ...rules, name: `${noun}s`, rejectsUnknown: noun })

/** Throws a `SimulatorError` for an invalid value. */
export const checkValue = (name: string, value: unknown, check: Check): void =>
  checkWith(name, value, check, rules)
