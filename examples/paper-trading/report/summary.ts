import { toNumber } from '../money.js'
import type { Report } from './report.js'

/** The figures to compare runs by: USD as doubles, because a sweep ranks and stores them as plain data. */
export interface Summary {
  /** Equity at the end minus cash at the start, after fees. */
  readonly profit: number
  readonly fees: number
  readonly maxDrawdown: number
  readonly filled: number
  readonly rejected: number
}

export const summaryOf = ({ orders, account, maxDrawdown }: Report): Summary => ({
  profit: toNumber(account.equity.equity - account.start),
  fees: toNumber(account.portfolio.fees),
  maxDrawdown: toNumber(maxDrawdown),
  filled: orders.filter(({ _tag }) => _tag === 'Filled').length,
  rejected: orders.filter(({ _tag }) => _tag === 'Rejected').length,
})
