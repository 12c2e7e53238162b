import type { DigitGroups } from '../../number-format/digit-groups.js'
import { shortNumber } from '../../number-format/short-number.js'
import { formatPrice, formatUsd } from '../../number-format/usd.js'

/** A price in USD. The number of decimals depends only on the magnitude. */
export const priceDigits = (usd: number): DigitGroups => shortNumber(usd, formatPrice)

/** An amount in USD, without cents from 1000 on. */
export const amountDigits = (usd: number): DigitGroups => shortNumber(usd, formatAmount)

const formatAmount = (usd: number): string =>
  usd < 1000 ? formatUsd(usd) : formatUsd(usd).replace(/\.\d*$/, '')
