import { InvalidArgumentError, Option } from 'commander'
import type { NumberOption } from '../../option-kinds/number-option.js'

/** A flag that takes a number, with the bounds and the default of an option. */
export const numberFlag = (flags: string, help: string, described: NumberOption): Option =>
  new Option(flags, help).argParser(parseNumber(described)).default(described.default)

/** Parses the argument of a number flag. Commander prepends the name of the flag to the error message. */
export const parseNumber =
  (described: NumberOption) =>
  (text: string): number => {
    const value = decimalNumber(text, described)
    if (described.holds(value)) return value
    throw new InvalidArgumentError(`Give ${numberWords(described)}.`)
  }

/** Parses the speed of a replay. `max` is unlimited. */
export const parseSpeed =
  (described: NumberOption) =>
  (text: string): number => {
    const value = text === 'max' ? Infinity : decimalNumber(text, described)
    if (text === 'max' || described.holds(value)) return value
    throw new InvalidArgumentError(`Give ${numberWords(described)}, or max.`)
  }

/** Only decimal digits: `Number` also reads `1e3`, `0x10` and the empty text. */
const decimalNumber = (text: string, { kind }: NumberOption): number =>
  (kind === 'integer' ? /^-?\d+$/ : /^\d+(?:\.\d+)?$/).test(text) ? Number(text) : NaN

const numberWords = ({ kind, min, above, max }: NumberOption): string => {
  if (kind === 'integer') return `a whole number from ${String(min)} to ${String(max)}`
  return `a number above ${String(above)}${max === undefined ? '' : `, at most ${max}`}`
}
