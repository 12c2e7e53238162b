import type { ReplaySummary } from '../../backtest/recording/index.js'
import { counted } from '../../view/texts.js'

export const timeWarnings = ({ earlierRows, skewedRows }: Omit<ReplaySummary, 'rows'>): readonly string[] => [
  ...(earlierRows === 0
    ? []
    : [`${rowsThat(earlierRows, 'earlier than the row before')}: was a clock set back?`]),
  ...(skewedRows === 0 ? [] : [rowsThat(skewedRows, 'received more than a minute before or after "at"')]),
]

const rowsThat = (count: number, what: string): string =>
  `${counted(count, 'row')} ${count === 1 ? 'was' : 'were'} ${what}`
