import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Address } from '../../base/domain/address.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import type { Topic } from '../../base/domain/topic.js'
import { copyOf, describeValue, messageOf, printable, readProblems } from '../../base/errors/text.js'
import { columnName, isWider, layoutOf, type Field, type GivenColumns, type Layout } from './columns.js'
import { openTable } from './open-table.js'
import { maxTextLength, RowSorter, type SortedRow } from './row-sorter.js'
import type { Cells, Table } from './table.js'
import { numberOf, timeOf, unitsText } from './values.js'

/** The token of rows. */
export interface ImportedToken {
  readonly topic: Topic
  readonly address: Address
  /** `undefined`: unknown. */
  readonly decimals: number | undefined
}

/** Why a row is invalid. */
export type Reason = 'not a number' | 'not above 0' | 'no time' | 'unknown symbol'

/** Why a row may be misunderstood. */
export type Doubt =
  'more cells than the header' | 'the bid is above the ask' | 'the high or the low is not that of its candle'

export interface ReasonCount {
  readonly count: number
  /** The number of the first line, from 1, and its cells. */
  readonly line: number
  readonly text: string
}

export interface ReadOptions {
  readonly columns: GivenColumns
  /** The token of a symbol. `undefined`: unknown. */
  readonly resolve: (symbol: string) => ImportedToken | undefined
  /** The token of files without symbols. */
  readonly token: ImportedToken | undefined
  /** The length of candles, in ms. `undefined`: the smallest distance of two candles of a token in a file. */
  readonly interval: number | undefined
  /** Throw at the first invalid row. */
  readonly strict: boolean
  /** Throws if the user has stopped the command. Called after each piece of a file. */
  readonly checkStop: () => void
}

/** What a row of the sorter is. */
export const roles = { price: 0, priceWithDepth: 1, open: 2, atClose: 3 } as const
const roleCount = 4

/** The rows of a token in a file. */
export interface Series {
  readonly token: ImportedToken
  /** The length of its candles, in ms; `Infinity` if unknown. */
  interval: number
  isCandle: boolean
  /** The start of the last candle of a run, in ms since the Unix epoch. */
  lastStart: number
}

export const seriesOf = ({ tag }: SortedRow): number => Math.floor(tag / roleCount)
export const roleOf = ({ tag }: SortedRow): number => tag % roleCount

const maxUnknownSymbols = 5

/** The symbols that are kept. A damaged file may have more, each of which is unknown. */
const maxSymbols = 10_000

/** Reads files into the sorter, which must be closed after use. Throws if a file cannot be read or understood. */
export class MarketReader {
  readonly files: FileReport[] = []
  readonly series: Series[] = []
  readonly sorter = new RowSorter({ onRun: (rows) => this.measureCandles(rows) })
  private hasCandles = false

  constructor(private readonly options: ReadOptions) {}

  async read(path: string): Promise<void> {
    const closing = new Subscription()
    try {
      const table = await openTable(path, closing)
      const layout = layoutOf(table, this.options.columns)
      if (isLeft(layout)) throw new Error(layout.left)
      if (layout.right.columns.symbol === undefined && this.options.token === undefined)
        throw new Error('it has no column of symbols; give --token, or --symbol')
      this.hasCandles ||= layout.right.kind === 'candles'
      const reading = new FileReport(path, table, layout.right, this.options, this)
      this.files.push(reading)
      await table.read(
        Object.values(layout.right.columns),
        (cells, line) => reading.onRow(cells, line),
        this.options.checkStop,
      )
    } catch (thrown) {
      const problem = readProblems[(thrown as NodeJS.ErrnoException).code ?? '']
      if (problem !== undefined) throw new Error(`${printable(path)} ${problem}`, { cause: thrown })
      const message = printable(messageOf(thrown))
      throw new Error(message.includes(path) ? message : `${printable(path)}: ${message}`, { cause: thrown })
    } finally {
      closing.unsubscribe()
    }
  }

  /** Called when all files are read. Throws if there is no row, or the length of a candle is unknown. */
  finish(): void {
    this.sorter.seal()
    if (this.sorter.rows === 0) throw new Error('no row is valid')
    const unknown = this.series.find(({ isCandle, interval }) => isCandle && interval === Infinity)
    if (unknown !== undefined)
      throw new Error(`${unknown.token.topic} has a single candle, whose length is unknown; give --interval`)
  }

  addSeries(token: ImportedToken): number {
    const { interval = Infinity } = this.options
    return this.series.push({ token, interval, isCandle: false, lastStart: NaN }) - 1
  }

  private measureCandles(rows: Iterable<SortedRow>): void {
    if (!this.hasCandles) return
    for (const row of rows) {
      const series = this.series[seriesOf(row)]
      if (series === undefined || roleOf(row) !== roles.open) continue
      series.isCandle = true
      const distance = row.at - series.lastStart
      if (distance > 0 && distance < series.interval && this.options.interval === undefined)
        series.interval = distance
      series.lastStart = row.at
    }
    for (const series of this.series) series.lastStart = NaN
  }
}

/** What was understood of a file, and the rows that it has: each row is checked, and counted or added to the market. */
export class FileReport {
  readonly format: string
  /** The names, or the numbers from 1, of the columns. */
  readonly columnNames: Readonly<Partial<Record<Field, string>>>
  readonly invalid = new Map<Reason, ReasonCount>()
  /** Rows that are read, but may be misunderstood, by their problem. */
  readonly doubtful = new Map<Doubt, ReasonCount>()
  private readonly width: number
  /** The first of the unknown symbols. */
  readonly unknownSymbols: string[] = []
  /** The tokens by symbol. The symbol is empty if the file has no such column. */
  readonly tokens = new Map<string, ImportedToken>()
  /** Tops of a book without a depth: a quantity that is no number, or a token without decimals. */
  withoutDepth: ReasonCount | undefined
  rows = 0
  /** The earliest and the latest time, in ms since the Unix epoch. */
  from = Infinity
  to = -Infinity
  private readonly bySymbol = new Map<string, number>()
  private lastSymbol: string | undefined
  private lastSeries = -1

  constructor(
    readonly path: string,
    { format, names }: Table,
    readonly layout: Layout,
    private readonly options: ReadOptions,
    private readonly market: MarketReader,
  ) {
    this.format = format
    this.width = names?.length ?? Infinity
    this.columnNames = Object.fromEntries(
      Object.entries(layout.columns).map(([field, index]) => [field, columnName(names, index)]),
    )
  }

  onRow(cells: Cells, line: number): void {
    const reason = this.addRow(cells, line)
    if (reason === undefined) return
    if (this.options.strict) throw new Error(`line ${line}: ${reason}: ${describeValue(cells.join(' | '))}`)
    count(this.invalid, reason, cells, line)
  }

  private addRow(cells: Cells, line: number): Reason | undefined {
    const { kind, columns, unit } = this.layout
    const at = timeOf(cells[columns.time] ?? '', unit)
    if (Number.isNaN(at)) return 'no time'
    const series = this.seriesOf(columns.symbol === undefined ? '' : (cells[columns.symbol] ?? ''))
    if (series < 0) return 'unknown symbol'
    const number = (column: number | undefined): number =>
      numberOf((column === undefined ? undefined : cells[column]) ?? '')
    const { sorter } = this.market
    if (cells.length > this.width && isWider(cells, this.width))
      count(this.doubtful, 'more cells than the header', cells, line)
    if (kind === 'candles') {
      const prices = [columns.open, columns.high, columns.low, columns.close].map(number)
      const problem = prices.map(problemOf).find((each) => each !== undefined)
      if (problem !== undefined) return problem
      const [open = NaN, high = NaN, low = NaN, close = NaN] = prices
      if (high < open || high < close || low > open || low > close)
        count(this.doubtful, 'the high or the low is not that of its candle', cells, line)
      this.passTime(at)
      for (const [index, price] of prices.entries())
        sorter.add(at, price, series * roleCount + (index === 0 ? roles.open : roles.atClose))
      return undefined
    }
    if (kind === 'trades') {
      const price = number(columns.price)
      const problem = problemOf(price)
      if (problem !== undefined) return problem
      this.passTime(at)
      sorter.add(at, price, series * roleCount + roles.price)
      return undefined
    }
    const bid = number(columns.bid)
    const ask = number(columns.ask)
    const problem = problemOf(bid) ?? problemOf(ask)
    if (problem !== undefined) return problem
    if (bid > ask) count(this.doubtful, 'the bid is above the ask', cells, line)
    this.passTime(at)
    const text = kind === 'quotes' ? undefined : this.depthText(cells, series, line)
    sorter.add(
      at,
      (bid + ask) / 2,
      series * roleCount + (text === undefined ? roles.price : roles.priceWithDepth),
      text,
    )
    return undefined
  }

  private passTime(at: number): void {
    this.rows++
    if (at < this.from) this.from = at
    if (at > this.to) this.to = at
  }

  /** The quantities that can be bought and sold, in base-token units. */
  private depthText(cells: Cells, series: number, line: number): string | undefined {
    const { bidQuantity = -1, askQuantity = -1 } = this.layout.columns
    const decimals = this.market.series[series]?.token.decimals
    if (decimals !== undefined) {
      const buy = unitsText(cells[askQuantity] ?? '', decimals)
      const sell = unitsText(cells[bidQuantity] ?? '', decimals)
      if (buy !== undefined && sell !== undefined && buy.length + sell.length < maxTextLength)
        return `${buy} ${sell}`
    }
    this.withoutDepth = counted(this.withoutDepth, cells, line)
    return undefined
  }

  /** The series of a symbol; -1 if it is unknown. Rows of one symbol often follow each other. */
  private seriesOf(symbol: string): number {
    if (symbol === this.lastSymbol) return this.lastSeries
    const known = this.bySymbol.get(symbol)
    this.lastSeries = known ?? this.addSymbol(copyOf(symbol))
    this.lastSymbol = symbol
    return this.lastSeries
  }

  private addSymbol(symbol: string): number {
    const { token, resolve } = this.options
    const isFirst = this.bySymbol.size === 0
    // A given token is that of the first symbol: rows of other symbols must not become prices of this token.
    const resolved = isFirst && token !== undefined ? token : resolve(symbol.trim())
    if (resolved === undefined) {
      if (this.unknownSymbols.length < maxUnknownSymbols) this.unknownSymbols.push(symbol)
      if (this.bySymbol.size < maxSymbols) this.bySymbol.set(symbol, -1)
      return -1
    }
    const series = this.market.addSeries(resolved)
    this.bySymbol.set(symbol, series)
    this.tokens.set(symbol, resolved)
    return series
  }
}

const count = <R>(counts: Map<R, ReasonCount>, reason: R, cells: Cells, line: number): void =>
  void counts.set(reason, counted(counts.get(reason), cells, line))

/** With one more row. */
const counted = (known: ReasonCount | undefined, cells: Cells, line: number): ReasonCount =>
  known === undefined ? { count: 1, line, text: cells.join(' | ') } : { ...known, count: known.count + 1 }

const problemOf = (price: number): Reason | undefined => {
  if (isPriceValue(price)) return undefined
  return Number.isNaN(price) ? 'not a number' : 'not above 0'
}
