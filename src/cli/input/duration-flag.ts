import { InvalidArgumentError } from 'commander'

/** In ms. */
const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** In ms: a year. */
const longest = 365 * 86_400_000

/** Parses a duration such as `15m`. Returns ms. */
export const parseDuration = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  const duration = Number(digits) * (units[unit] ?? 0)
  if (duration > 0 && duration <= longest) return duration
  throw new InvalidArgumentError('Give a duration like 30s, 15m, 1h or 1d, at most 365d.')
}
