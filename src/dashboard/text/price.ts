import { formatPrice, formatUsd } from '../../number-format/usd.js'

/** The digits of a number, in groups of three before the decimal point. Together they are the number. */
export interface DigitGroups {
  readonly first: string
  /** Empty, or three digits each. */
  readonly second: string
  readonly third: string
  /** The decimal point and what follows; empty without decimals. */
  readonly fraction: string
}

const maxLength = 16

/** A price in USD. The number of decimals depends only on the magnitude. A long number is in scientific notation. */
export const priceDigits = (usd: number): DigitGroups => grouped(short(formatPrice(usd), usd))

/** An amount in USD, without cents from 1000 on. */
export const amountDigits = (usd: number): DigitGroups =>
  grouped(short(usd < 1000 ? formatUsd(usd) : formatUsd(usd).replace(/\.\d*$/, ''), usd))

/** The number as text, as a program reads it. */
export const digitsText = ({ first, second, third, fraction }: DigitGroups): string =>
  `${first}${second}${third}${fraction}`

const short = (text: string, value: number): string =>
  text.length <= maxLength ? text : value.toExponential(4)

const grouped = (text: string): DigitGroups => {
  const [, whole = '', fraction = ''] = /^(\d*)(.*)$/.exec(text) ?? []
  return {
    first: whole.slice(0, whole.length > 6 ? -6 : whole.length > 3 ? -3 : undefined),
    second: whole.length > 6 ? whole.slice(-6, -3) : '',
    third: whole.length > 3 ? whole.slice(-3) : '',
    fraction,
  }
}
