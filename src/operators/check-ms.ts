import { maxTimerMs } from '../domain/interval.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { describeValue } from '../errors/text.js'

/** Throws a `ConfigurationError` for `option` unless `ms` is a finite number of at least 0. */
export const checkMs = (operator: string, option: string, ms: number): void => {
  if (Number.isFinite(ms) && ms >= 0) return
  throw new ConfigurationError(
    option,
    `${operator} needs a finite number of ms, 0 or more, got ${describeValue(ms)}`,
  )
}

/** Throws a `ConfigurationError` unless `ms` is a valid delay of a timer. */
export const checkTimerMs = (operator: string, ms: number): void => {
  checkMs(operator, 'ms', ms)
  if (ms <= maxTimerMs) return
  throw new ConfigurationError('ms', `${operator} accepts at most ${maxTimerMs} ms, got ${describeValue(ms)}`)
}
