import { ConfigurationError } from '../errors/configuration-error.js'
import { describeValue } from '../errors/text.js'

/** The longest wait that a timer can be set to, in ms: some 24.8 days. A longer one would fire at once. */
export const longestWait = 2 ** 31 - 1

/** Throws unless `ms` is finite and not below zero. */
export const checkMs = (operator: string, option: string, ms: number): void => {
  if (Number.isFinite(ms) && ms >= 0) return
  throw new ConfigurationError(
    option,
    `${operator} needs a finite number of ms, 0 or more, got ${describeValue(ms)}`,
  )
}

/** Throws unless a timer can be set to `ms`. */
export const checkWait = (operator: string, ms: number): void => {
  checkMs(operator, 'ms', ms)
  if (ms <= longestWait) return
  throw new ConfigurationError(
    'ms',
    `${operator} can wait ${longestWait} ms at most, got ${describeValue(ms)}`,
  )
}
