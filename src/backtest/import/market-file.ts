import { copyOf, describeValue } from '../../base/errors/text.js'
import { candleTicks, startsOf, type CandleInterval } from './candles.js'
import { columnName, isWider, layoutOf, priceFields, type GivenColumns, type Layout } from './columns.js'
import type { ImportedToken, MarketRow, Quantities, Series, Tick } from './market-row.js'
import { openTable } from './open-table.js'
import type { Cells, Table, TableRow } from './table.js'
import { isSeparated, isTruncated, numberOf, timeOf, unitOf, unitsOf, type Unit } from './values.js'

export type Reason = 'not a number' | 'not above 0' | 'no time' | 'unknown symbol'

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
  /** The depth of each price, in tokens. `undefined`: that of the file. */
  readonly assumedDepth: string | undefined
  /** The length of candles. `undefined`: that of their ends, or the distance of two starts. */
  readonly interval: CandleInterval | undefined
  /** Throw at the first invalid row. */
  readonly strict: boolean
  /** The most rows of files that are not in order. */
  readonly maxRows: number
  /** Throws if the user has stopped the command. Called after each piece of a file. */
  readonly checkStop: () => void
  /** The time of day, in ms since the Unix epoch: data are not of later times. */
  readonly now: number
}

const moreCells = 'more cells than columns'

/** The symbols that are kept. A damaged file may have more, each of which is unknown. */
const maxSymbols = 10_000

/** In ms. Times that are a day later are of the future: the clock of this machine may be behind. */
const day = 86_400_000

/** A file of market data, and what was understood of it. It is read twice: to be understood, and for its prices. */
export class MarketFile {
  readonly invalid = new Map<Reason, ReasonCount>()
  /** Rows that are read, but may be misunderstood, by their problem. */
  readonly warnings = new Map<string, ReasonCount>()
  /** What would make another market of the file if it is misunderstood, each with its answer. */
  readonly doubts: string[] = []
  rows = 0
  /** The earliest and the latest time, in ms since the Unix epoch. */
  from = Infinity
  to = -Infinity
  /** The rows of a file of candles, or of one that is not in order, sorted. */
  private sorted: readonly MarketRow[] | undefined
  /** The number of rows that are earlier than a row before them. */
  earlierRows = 0
  private truncated = 0
  private midnights = 0
  /** Of a time that is left out, because it is in another unit. */
  private otherUnit: Unit | undefined
  /** The first number with decimal commas or groups of digits. */
  private separated: string | undefined
  /** The values of the columns that may name the token of a row: two are enough for a doubt. */
  private readonly named: ReadonlyMap<number, Set<string>>
  /** The tokens by symbol, which is empty if the file has no such column. */
  readonly series = new Map<string, Series>()
  readonly unknown = new Set<string>()
  /** The number of cells of a row. */
  private readonly width: number

  private constructor(
    readonly path: string,
    readonly table: Table,
    readonly layout: Layout,
    private readonly options: ReadOptions,
  ) {
    this.width = (table.names ?? table.sample[0] ?? []).length
    this.named = new Map(layout.namingColumns.map((index) => [index, new Set()]))
  }

  /** Reads and understands a file. Throws if it cannot be read or understood. */
  static async open(path: string, options: ReadOptions): Promise<MarketFile> {
    const table = await openTable(path)
    const layout = layoutOf(table, options.columns)
    if (layout.columns.symbol === undefined && options.token === undefined)
      throw new Error('it has no column of symbols; give --token, or --symbol')
    const file = new MarketFile(path, table, layout, options)
    await file.understand()
    return file
  }

  /** The prices of the file, in order, piece by piece. */
  async *ticks(): AsyncGenerator<readonly Tick[]> {
    const { sorted, layout, options } = this
    if (sorted === undefined) yield* this.pieces()
    else yield layout.kind === 'candles' ? candleTicks(sorted, options.interval) : sorted
  }

  /** The valid rows, in the order of the file. */
  private async *pieces(): AsyncGenerator<readonly MarketRow[]> {
    for await (const rows of this.read())
      yield rows.map(({ cells }) => this.rowOf(cells)).filter((row) => typeof row !== 'string')
  }

  private async *read(): AsyncGenerator<readonly TableRow[]> {
    const { columns, namingColumns } = this.layout
    for await (const rows of this.table.rows([...Object.values(columns), ...namingColumns])) {
      yield rows
      this.options.checkStop()
    }
  }

  private async understand(): Promise<void> {
    for await (const rows of this.read()) for (const { cells, line } of rows) this.onRow(cells, line)
    const { kind, columns } = this.layout
    if (kind === 'candles' || this.earlierRows > 0) await this.sort()
    const all = [...this.series.values()]
    const lengths = all.flatMap(({ starts: { usual } }) => usual ?? []).sort((a, b) => a - b)
    // A token with a single candle has the length of other candles of the file.
    for (const each of all) each.starts = { ...each.starts, usual: each.starts.usual ?? lengths[0] }
    const known = this.options.interval ?? columns.closeTime ?? lengths[0]
    if (kind === 'candles' && this.rows > 0 && known === undefined)
      throw new Error('it has a single candle, whose length is unknown; give --interval')
    this.addDoubts()
  }

  private onRow(cells: Cells, line: number): void {
    const row = this.rowOf(cells)
    if (typeof row === 'string') {
      if (this.options.strict) throw new Error(`line ${line}: ${row}: ${describeValue(cells.join(' | '))}`)
      if (row === 'not a number') this.separated ??= cells.find((cell) => isSeparated(cell ?? ''))
      if (row === 'no time') this.otherUnit ??= unitOf(cells[this.layout.columns.time] ?? '')
      return count(this.invalid, row, cells, line)
    }
    const { at, price, series, depth, candle } = row
    const { kind, columns } = this.layout
    this.rows++
    if (at < this.to) this.earlierRows++
    this.from = Math.min(this.from, at)
    this.to = Math.max(this.to, at)
    if (isTruncated(cells[columns.time] ?? '')) this.truncated++
    if (at % day === 0) this.midnights++
    for (const [index, names] of this.named) {
      const name = cells[index] ?? ''
      if (names.size < 3 && name.trim() !== '') names.add(copyOf(name))
    }
    const warn = (problem: string): void => count(this.warnings, problem, cells, line)
    if (isWider(cells, this.width)) warn(moreCells)
    if (cells.length < this.width) warn('fewer cells than columns')
    const [open = 0, high = 0, low = 0, close = 0] = candle?.prices ?? []
    if (Math.max(open, close) > high || Math.min(open, close) < low)
      warn('the open or the close is not between the low and the high')
    if (numberOf(cells[columns.bid ?? -1] ?? '') > numberOf(cells[columns.ask ?? -1] ?? ''))
      warn('the bid is above the ask')
    const { lastPrice = price } = series
    if (Math.max(price, lastPrice) > 2 * Math.min(price, lastPrice))
      warn('the price is more than twice, or less than half, that of the row before')
    series.lastPrice = price
    if (kind === 'tops of a book' && (depth ?? this.options.assumedDepth) === undefined)
      warn('no depth, because a quantity is no number, or --tokens has no decimals')
  }

  /** Sorts the rows in memory. Rows of one time keep their order. */
  private async sort(): Promise<void> {
    const { maxRows } = this.options
    if (this.rows > maxRows)
      throw new Error(
        this.layout.kind === 'candles'
          ? `its ${this.rows} candles are more than --max-rows ${maxRows}`
          : `its ${this.rows} rows are not in order, and are more than --max-rows ${maxRows}; sort them first: sort --field-separator=, --key=${this.layout.columns.time + 1},${this.layout.columns.time + 1} (after the header)`,
      )
    const all: MarketRow[] = []
    for await (const rows of this.pieces()) for (const row of rows) all.push(row)
    all.sort((a, b) => a.at - b.at)
    if (this.layout.kind === 'candles') {
      for (const row of all) row.series.candles.push(row)
      for (const each of this.series.values()) each.starts = startsOf(each.candles)
    }
    this.sorted = all
  }

  private addDoubts(): void {
    const { doubts, from, to, rows, truncated, midnights, otherUnit, separated, named, options } = this
    const time = describeValue(columnName(this.table.names, this.layout.columns.time))
    if (to > options.now + day)
      doubts.push(
        `times of the future, up to ${new Date(to).toISOString()}: is ${time} the time, in ${this.layout.unit}?`,
      )
    if (rows > 0 && truncated === rows)
      doubts.push(
        `the digits of all times in ${time} end before their unit, ${this.layout.unit}: write them in full`,
      )
    if (rows > 0 && midnights === rows && rows >= 2 * this.series.size * ((to - from) / day + 1))
      doubts.push(`${time} has days, and several rows of each: write the time of day into it`)
    if (otherUnit !== undefined)
      doubts.push(
        `${time} has times in ${this.layout.unit}, and others in ${otherUnit}, which are left out: write all in one unit`,
      )
    if (this.layout.isOfBookChanges)
      doubts.push(
        'it has the changes of a book, not trades: each price is that of a level; import its tops (bid and ask), or trades',
      )
    if (separated !== undefined)
      doubts.push(
        `${describeValue(separated)} has a decimal comma or groups of digits, so other numbers may be misread: write all with a decimal point alone`,
      )
    const wide = this.warnings.get(moreCells)
    if (wide !== undefined)
      doubts.push(`line ${wide.line} has ${moreCells}: quote cells that contain the delimiter`)
    for (const [index, names] of named)
      if (names.size > 1)
        doubts.push(
          `${describeValue(columnName(this.table.names, index))} may name the token of a row, and has several values, such as ${[...names].map(describeValue).join(', ')}: give --symbol, or one file for each`,
        )
    for (const { starts, token } of this.series.values())
      if (starts.different !== undefined)
        doubts.push(
          `${token.topic} has different candles that start at ${new Date(starts.different).toISOString()}: keep one of them${this.layout.hasZone ? '' : ', or write the times with their zone, if an hour repeats at the end of summer time'}`,
        )
  }

  private rowOf(cells: Cells): MarketRow | Reason {
    const { kind, columns, unit } = this.layout
    const at = timeOf(cells[columns.time] ?? '', unit)
    if (Number.isNaN(at)) return 'no time'
    const series = this.seriesOf(columns.symbol === undefined ? '' : (cells[columns.symbol] ?? ''))
    if (series === undefined) return 'unknown symbol'
    const numbers = priceFields[kind].map((field) => numberOf(cells[columns[field] ?? -1] ?? ''))
    const invalid = numbers.find((number) => !(number > 0))
    if (invalid !== undefined) return Number.isNaN(invalid) ? 'not a number' : 'not above 0'
    const [first = NaN, second = NaN] = numbers
    const closeTime = kind === 'candles' ? timeOf(cells[columns.closeTime ?? -1] ?? '', unit) : NaN
    return {
      at,
      series,
      token: series.token,
      price: columns.bid === undefined ? first : (first + second) / 2,
      depth: this.depthOf(cells, series),
      candle: kind === 'candles' ? { prices: numbers, closeTime } : undefined,
    }
  }

  private depthOf(cells: Cells, { token: { decimals } }: Series): Quantities | undefined {
    const { bidQuantity, askQuantity } = this.layout.columns
    if (decimals === undefined || bidQuantity === undefined || askQuantity === undefined) return undefined
    const buy = unitsOf(cells[askQuantity] ?? '', decimals)
    const sell = unitsOf(cells[bidQuantity] ?? '', decimals)
    return buy === undefined || sell === undefined ? undefined : { buy, sell }
  }

  private seriesOf(symbol: string): Series | undefined {
    const { series, unknown, options } = this
    const known = series.get(symbol)
    if (known !== undefined || unknown.has(symbol)) return known
    // A given token is that of the first symbol: rows of other symbols must not become prices of this token.
    const token = (series.size === 0 ? options.token : undefined) ?? options.resolve(symbol.trim())
    if (token !== undefined) {
      const added = { token, candles: [], starts: startsOf([]) }
      series.set(copyOf(symbol), added)
      return added
    }
    if (unknown.size < maxSymbols) unknown.add(copyOf(symbol))
    return undefined
  }
}

const count = <R>(counts: Map<R, ReasonCount>, reason: R, cells: Cells, line: number): void => {
  const known = counts.get(reason) ?? { count: 0, line, text: cells.join(' | ') }
  counts.set(reason, { ...known, count: known.count + 1 })
}
