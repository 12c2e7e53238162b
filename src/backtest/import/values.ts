import { isOwnTime } from '../recording/write/own-rows.js'

// The numbers and times in the cells of a table, which are texts.

/** `NaN` for a text that is no decimal number, and for an infinite one. */
export const numberOf = (text: string): number => {
  const value = Number(text)
  // `Number` also accepts an empty text and other bases.
  if (value === 0 && text.trim() === '') return NaN
  if (text.length > 2 && otherBase.test(text)) return NaN
  return Number.isFinite(value) ? value : NaN
}

/** True for digits with separators that are no decimal point, such as `1.355,90`, `1,355.90` and `1 355`. */
export const isSeparated = (text: string): boolean =>
  /^\s*[-+]?\d[\d.,'’\s]*\d\s*$/.test(text) && Number.isNaN(Number(text))

const otherBase = /^\s*0[xob]/i

export type Unit = 's' | 'ms' | 'µs' | 'ns' | 'ISO 8601'

/** The power of ten by which a number of the unit is multiplied to give ms. */
const powers: Readonly<Record<Exclude<Unit, 'ISO 8601'>, number>> = { s: 3, ms: 0, µs: -3, ns: -6 }

const numericUnits = Object.keys(powers) as (keyof typeof powers)[]

/** The unit of a time of the years 2000 to 2099; `undefined` for any other text. The ranges of the units are disjoint. */
export const unitOf = (text: string): Unit | undefined =>
  isOwnTime(isoTime(text)) ? 'ISO 8601' : numericUnits.find((unit) => isOwnTime(timeOf(text, unit)))

/** The time in whole ms since the Unix epoch, rounded down; `NaN` for a text that is no time of the years 2000 to 2099. */
export const timeOf = (text: string, unit: Unit): number => {
  const time = unit === 'ISO 8601' ? isoTime(text) : numericTime(text, powers[unit])
  return isOwnTime(time) ? time : NaN
}

const numericTime = (text: string, power: number): number =>
  Number((power === 0 && digits.test(text) ? text : shifted(text, power)) ?? NaN)

/**
 * The integer of a number times a power of ten, rounded down: by digits, because a product may be rounded to the next integer.
 * `undefined` for a text that is no number of at least 0.
 */
const shifted = (text: string, power: number): string | undefined => {
  const [, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? []
  const length = whole.length + Number(exponent) + power
  if (whole + fraction === '' || length > maxDigits) return undefined
  return (whole + fraction).slice(0, Math.max(0, length)).padEnd(length, '0')
}

/** A few characters must not become any number of digits. */
const maxDigits = 1000

/** True for a number in scientific notation whose digits end before its unit, as a spreadsheet writes `1.763E+12`. */
export const isTruncated = (text: string): boolean => {
  const [, fraction = '', exponent = ''] = /^\s*\d+(?:\.(\d*))?e\+?(\d+)\s*$/i.exec(text) ?? []
  return fraction.length < Number(exponent)
}

const digits = /^\d+$/
const decimal = /^\s*(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?\s*$/i

/** A date, or a date and a time, the year first, in the extended or the basic form of ISO 8601. Without a zone it is UTC. */
const isoPattern =
  /^\s*(?<year>\d{4})(?<separator>[-/]?)(?<month>\d\d)\k<separator>(?<day>\d\d)(?:[T ](?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?\s*(?<zone>Z|UTC|(?<sign>[+-])(?<hours>[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?)?\s*$/i

export const hasOwnZone = (text: string): boolean => isoPattern.exec(text)?.groups?.['zone'] !== undefined

const isoTime = (text: string): number => {
  const groups: Readonly<Partial<Record<string, string>>> = isoPattern.exec(text)?.groups ?? {}
  const { year, separator, month, day, hour, minute = '00', second = '00', fraction = '' } = groups
  // Eight digits alone are a number.
  if (separator === '' && hour === undefined) return NaN
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const local = new Date(`${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}.${ms}Z`)
  // A day that the month does not have is one of the next month.
  if (local.getUTCDate() !== Number(day)) return NaN
  const { sign, hours = 0, minutes = 0 } = groups
  const offset = Number(hours) * 60 + Number(minutes)
  return local.getTime() - (sign === '-' ? -offset : offset) * 60_000
}

/** A number of tokens in base-token units, rounded down, by all its digits; `undefined` for a text that is no number of at least 0. */
export const unitsOf = (text: string, decimals: number): bigint | undefined => {
  const units = shifted(text, decimals)
  return units === undefined ? undefined : BigInt(units)
}
