import type { PaperEvent, PaperOptions } from '../../../backtest/paper/index.js'
import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { formatTime, formatTokens } from '../../../view/texts.js'
import { textFlag, type Values } from '../../target/parse-flags.js'
import { CsvFile } from './csv-file.js'

export const tradeFileFlags = {
  trades: textFlag('--trades <file>', 'CSV file of the fills to write; an existing file is overwritten'),
  equity: textFlag('--equity <file>', 'CSV file of the equity to write; an existing file is overwritten'),
}

type Paths = Values<typeof tradeFileFlags>

/** Writes the events of an account, in order. Throws if a file cannot be written. */
export class TradeFiles {
  private readonly trades: CsvFile | undefined
  private readonly equity: CsvFile | undefined

  constructor(
    { trades, equity }: Paths,
    private readonly tokens: PaperOptions['tokens'],
  ) {
    this.trades = trades === undefined ? undefined : new CsvFile('--trades', trades, tradeColumns)
    this.equity = equity === undefined ? undefined : new CsvFile('--equity', equity, equityColumns)
  }

  add(event: PaperEvent): void {
    if (event._tag === 'Equity')
      this.equity?.add([formatTime(event.at), plainDecimal(event.equityUsd), String(event.isCurrent)])
    if (event._tag !== 'Filled') return
    const { at, decidedAt, id, symbol, side, quantity, price, valueUsd, feeUsd, slippageUsd } = event
    this.trades?.add([
      ...[formatTime(at), formatTime(decidedAt), id, symbol, side],
      ...[formatTokens(quantity, this.tokens[symbol]?.decimals)],
      ...[price, valueUsd, feeUsd, slippageUsd].map(plainDecimal),
    ])
  }

  close(): void {
    this.trades?.close()
    this.equity?.close()
  }
}

const tradeColumns = [
  ...['time_utc', 'decided_utc', 'order', 'symbol', 'side', 'quantity_tokens'],
  ...['price_usd', 'value_usd', 'fee_usd', 'slippage_usd'],
]

const equityColumns = ['time_utc', 'equity_usd', 'is_current']
