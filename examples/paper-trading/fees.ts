import { money, shareRoundedUp, type BasisPoints, type Money } from './money.js'

/** The smallest part of a USD in which a fee is charged: that of a stablecoin with 6 decimals. */
const feeUnit = money(0.000001)

/** The fee for a trade, rounded up, against the trader, to a multiple of 0.000001 USD. */
export const feeFor = (value: Money, rate: BasisPoints): Money => shareRoundedUp(value, rate, feeUnit)
