import { InvalidArgumentError } from 'commander'
import { maxTimerMs } from '../../domain/valid-numbers.js'

/** In ms. */
const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Whole days, in ms: a year. */
const longestRotation = 365 * 86_400_000

/** Whole days, in ms, that a timer can wait. */
const longestRun = Math.floor(maxTimerMs / 86_400_000) * 86_400_000

/** Parses the argument of `--rotate`, such as `15m`. Returns ms. */
export const parseRotation = (text: string): number => withinLimit(unitsToMs(text), longestRotation, 'Give')

/** Parses the argument of `--duration`: a number of seconds, or a duration such as `15m`. Returns ms. */
export const parseDuration = (text: string): number =>
  withinLimit(secondsToMs(text) ?? unitsToMs(text), longestRun, 'Give a number of seconds above 0, or')

/** `undefined` for a text that is no plain number. */
const secondsToMs = (text: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : undefined

const unitsToMs = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  return Number(digits) * (units[unit] ?? 0)
}

const withinLimit = (ms: number, longest: number, request: string): number => {
  if (ms > 0 && ms <= longest) return ms
  throw new InvalidArgumentError(
    `${request} a duration like 30s, 15m, 1h or 1d, at most ${longest / 86_400_000}d.`,
  )
}
