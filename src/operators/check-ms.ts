import { maxTimerMs } from '../base/domain/valid-numbers.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { describeValue } from '../base/errors/text.js'

/** Throws a `ConfigurationError` for `option` unless `ms` is a finite number of at least `min`. */
export const checkMs = (operator: string, option: string, ms: number, min = 0): void => {
  if (Number.isFinite(ms) && ms >= min) return
  throw new ConfigurationError(
    option,
    `${operator} needs a finite number of ms, ${min} or more, got ${describeValue(ms)}`,
  )
}

/** Throws a `ConfigurationError` unless `ms` is a delay of a timer, at least `min`. */
export const checkTimerMs = (operator: string, ms: number, min = 0): void => {
  checkMs(operator, 'ms', ms, min)
  if (ms <= maxTimerMs) return
  throw new ConfigurationError('ms', `${operator} accepts at most ${maxTimerMs} ms, got ${describeValue(ms)}`)
}
