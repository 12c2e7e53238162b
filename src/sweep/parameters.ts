import { ConfigurationError } from '../errors/configuration-error.js'
import { causeOf } from '../errors/failure-cause.js'
import type { Task } from './messages.js'

/** The tasks with copies of the parameters. Throws a `ConfigurationError` for a parameter that cannot be cloned. */
export const tasksOf = (parameters: readonly unknown[]): readonly Task[] => {
  if (!Array.isArray(parameters)) throw new ConfigurationError('parameters', 'expected an array')
  return parameters.map((parameter: unknown, index) => ({ index, parameter: cloneOf(parameter, index) }))
}

const cloneOf = (parameter: unknown, index: number): unknown => {
  try {
    return structuredClone(parameter)
  } catch (thrown) {
    const { message } = causeOf(thrown)
    throw new ConfigurationError('parameters', `parameter ${index} cannot be cloned: ${message}`)
  }
}

/** The tasks of each worker, round-robin: parameters that are close to each other often take the same time. */
export const dealt = (tasks: readonly Task[], workers: number): readonly (readonly Task[])[] => {
  const hands = Math.min(workers, tasks.length)
  return Array.from({ length: hands }, (_, hand) => tasks.filter(({ index }) => index % hands === hand))
}
