import { describeValue } from '../../base/errors/text.js'
import type { Cells, Table } from './table.js'
import { hasOwnZone, numberOf, unitOf, type Unit } from './values.js'

/** The usual names, without case and punctuation, the most specific first. */
const usualNames = {
  // Of candles alone: a price of another row is later.
  start: 'timeperiodstart opentime timeopen starttime begintime candlebegintime',
  time:
    'tradetime transacttime transactiontime eventtime exchangetime timeexchange timestamp timestampms timems ' +
    'unixtime unixtimestamp unix time datetime ts tsms at date createdat createdtime t localtimestamp receivedat',
  symbol:
    'symbol topic mint address token pair market instrument ticker asset coin ' +
    'product productid instrumentname instid symbolid base s',
  price: 'price priceusd usdprice tradeprice lastprice midprice mid midpoint last rate px p value',
  bid: 'bid bidprice bestbid bestbidprice bidpx bid1price bids0price b',
  ask: 'ask askprice bestask bestaskprice askpx ask1price asks0price offer a',
  bidQuantity:
    'bidquantity bidqty bidsize bidamount bidvolume bestbidqty bestbidquantity bestbidsize bestbidamount bidsz ' +
    'bids0amount',
  askQuantity:
    'askquantity askqty asksize askamount askvolume bestaskqty bestaskquantity bestasksize bestaskamount asksz ' +
    'asks0amount',
  open: 'open openprice o',
  high: 'high highprice h',
  low: 'low lowprice l',
  close: 'close closeprice c',
  closeTime: 'closetime timeclose timeperiodend endtime',
}

export type Field = keyof typeof usualNames

const fields = Object.keys(usualNames) as Field[]

/** The columns of prices of each kind of rows. Of several possible kinds, the first one is taken. */
export const priceFields = {
  candles: ['open', 'high', 'low', 'close'],
  trades: ['price'],
  'tops of a book': ['bid', 'ask'],
  quotes: ['bid', 'ask'],
} as const satisfies Readonly<Record<string, readonly Field[]>>

export type Kind = keyof typeof priceFields

/** The columns that the user gives, by name or by number from 1. */
export type GivenColumns = Readonly<Partial<Record<Field, string | undefined>>>

export interface Layout {
  readonly kind: Kind
  /** The indexes of the columns. */
  readonly columns: Readonly<Partial<Record<Field, number>>> & { readonly time: number }
  /** Of the times, and of the ends of candles. */
  readonly unit: Unit
  /** True for trades that look like the changes of a book, whose prices are those of levels. */
  readonly isOfBookChanges: boolean
  /** False for times of ISO 8601 without a zone, which are taken for UTC. */
  readonly hasZone: boolean
  /** The indexes of columns that are not used, and may name the token of a row, or the quote of its base. */
  readonly namingColumns: readonly number[]
}

/** The meaning of the columns. Throws an error with what is missing, and how to give it. */
export const layoutOf = ({ names, sample }: Pick<Table, 'names' | 'sample'>, given: GivenColumns): Layout => {
  if (sample.length === 0) throw new Error('it has no row')
  const columns: Partial<Record<Field, number>> = names === undefined ? {} : columnsByName(names, sample)
  const isGiven = fields.some((field) => given[field] !== undefined)
  if (!isGiven && names !== undefined && isMost(sample, (cells) => isWider(cells, names.length)))
    throw new Error(
      `its header has ${names.length} names, and its rows have more cells, such as ${describeValue(sample[0]?.join(' | '))}; ` +
        'quote cells that contain the delimiter, or give all columns by number from 1',
    )
  for (const field of fields) {
    const text = given[field]
    const width = names?.length ?? Math.max(...sample.map(({ length }) => length))
    if (text !== undefined) columns[field] = givenColumn(field, text, names, width)
  }
  const kind = kindOf(columns, given)
  const time = (kind === 'candles' && given.time === undefined ? columns.start : undefined) ?? columns.time
  if (time === undefined || kind === undefined)
    throw new Error(
      `no ${time === undefined ? 'column of times' : 'kind of prices'} is recognised in ${listed(names, sample)}; ` +
        `give ${time === undefined ? '--time' : '--price, --bid and --ask, or --open, --high, --low and --close'} ` +
        `by ${names === undefined ? '' : 'name, or by '}number from 1`,
    )
  const used: readonly string[] = [...neededFor(kind), 'symbol', ...(kind === 'candles' ? ['closeTime'] : [])]
  const usedColumns: Layout['columns'] = {
    time,
    ...Object.fromEntries(Object.entries(columns).filter(([field]) => used.includes(field))),
  }
  for (const field of fields) {
    const name = given[field] === undefined ? names?.[usedColumns[field] ?? -1] : undefined
    if (name !== undefined && names?.indexOf(name) !== names?.lastIndexOf(name))
      throw new Error(
        `several of its columns are ${describeValue(name)}; give --${flagOf(field)} by number from 1`,
      )
  }
  const times = sample.map((cells) => cells[time] ?? '')
  const unit = times.map(unitOf).find((each) => each !== undefined)
  if (unit === undefined)
    throw new Error(
      `column ${columnName(names, time)}: expected times of the years 2000 to 2099 in s, ms, µs or ns since the Unix epoch, or ISO 8601, got ${describeValue(times[0])}`,
    )
  const isBase = plain(columnName(names, columns.symbol ?? -1)).startsWith('base')
  const mayName = (name: string): boolean =>
    instrument.test(name) &&
    (columns.symbol === undefined || (isBase && /^(?:quote|currency|ccy)/.test(name)))
  return {
    kind,
    columns: usedColumns,
    unit,
    isOfBookChanges: kind === 'trades' && isOfBookChanges(names ?? [], sample),
    hasZone: unit !== 'ISO 8601' || times.some(hasOwnZone),
    namingColumns: (names ?? []).flatMap((name, index) =>
      mayName(plain(name)) && !Object.values(usedColumns).includes(index) ? [index] : [],
    ),
  }
}

/** The usual names of a column of instruments. Contracts, quotes and stocks are numbers of them. */
const instrument =
  /^(?!(?:contract|quote|stock)s$)(?:instid|topic|mint|address|tic|ticker|sym|symbol|asset|coin|pair|token|instrument|market|product|currency|ccy|security|isin|stock|contract|underlying|pool|crypto|base|quote|trading|name|slug)(?:s|id|ids|name|code|symbol|pair|address|asset|currency|coin|token)?$/

const isOfBookChanges = (names: readonly string[], sample: readonly Cells[]): boolean => {
  const known = names.map(plain)
  const side = known.indexOf('side')
  const isOfBook = (cells: Cells): boolean => /^\s*(?:bid|ask|b|a)s?\s*$/i.test(cells[side] ?? '')
  // Beside sells, `b` is a buy.
  const isSell = (cells: Cells): boolean => /^\s*s(?:ell)?\s*$/i.test(cells[side] ?? '')
  return side >= 0 && (known.includes('issnapshot') || (isMost(sample, isOfBook) && !sample.some(isSell)))
}

/** `bidQuantity` is `--bid-quantity`. */
export const flagOf = (field: Field): string =>
  field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The name or the number of a column, for the user. */
export const columnName = (names: readonly string[] | undefined, index: number): string =>
  names?.[index] ?? String(index + 1)

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The columns of a name: those with its case and punctuation first, because `t` and `T` may be different columns. */
const columnsNamed = (names: readonly string[], name: string): readonly number[] =>
  [String, plain].flatMap((form) =>
    names.flatMap((each, index) => (form(each) === form(name) ? [index] : [])),
  )

/** A column of other numbers is none of times: `t` is also the number of a trade. */
const columnsByName = (
  names: readonly string[],
  sample: readonly Cells[],
): Partial<Record<Field, number>> => {
  const isOther = (index: number): boolean =>
    !isMost(sample, (cells) => unitOf(cells[index] ?? '') !== undefined) &&
    isMost(sample, (cells) => numberOf(cells[index] ?? '') >= 0)
  const entries = fields.map((field) => {
    const found = usualNames[field].split(' ').flatMap((usual) => columnsNamed(names, usual))
    const index = field === 'time' ? found.find((each) => !isOther(each)) : undefined
    return [field, index ?? found[0]] as const
  })
  return Object.fromEntries(entries.filter(([, index]) => index !== undefined))
}

/** True for a row with more cells than the header, other than empty ones. */
export const isWider = (cells: Cells, width: number): boolean =>
  cells.length > width && cells.slice(width).some((cell = '') => cell.trim() !== '')

/** True for more than half of the rows: a few may be damaged. */
const isMost = (rows: readonly Cells[], holds: (cells: Cells) => boolean): boolean =>
  rows.filter(holds).length * 2 > rows.length

/** Throws for a column that the file does not have. */
const givenColumn = (
  field: Field,
  text: string,
  names: readonly string[] | undefined,
  width: number,
): number => {
  const [index] = columnsNamed(names ?? [], text)
  if (index !== undefined) return index
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : NaN
  if (number <= width) return number - 1
  const problem =
    names === undefined
      ? `expected the number of a column, from 1 to ${width}, because the file has no header, got ${describeValue(text)}`
      : `the file has no column ${describeValue(text)}; it has ${names.map((name) => describeValue(name)).join(', ')}`
  throw new Error(`--${flagOf(field)}: ${problem}`)
}

const listed = (names: readonly string[] | undefined, [first = []]: readonly Cells[]): string =>
  names === undefined
    ? `the first row, ${describeValue(first.join(' | '))}`
    : names.map((name) => describeValue(name)).join(', ')

/** Those that are given decide. A high and a low are of a candle with another name of its close, or of the day before a price. */
const kindOf = (columns: Partial<Record<Field, number>>, given: GivenColumns): Kind | undefined => {
  const kinds = (Object.keys(priceFields) as Kind[]).filter((kind) =>
    neededFor(kind).every((field) => columns[field] !== undefined),
  )
  const hasRange = columns.high !== undefined && columns.low !== undefined
  const isUnclear = hasRange && (kinds[0] !== 'candles' || kinds.includes('quotes'))
  const chosen = kinds.find((kind) => neededFor(kind).some((field) => given[field] !== undefined))
  return chosen ?? (isUnclear ? undefined : kinds[0])
}

const neededFor = (kind: Kind): readonly Field[] =>
  kind === 'tops of a book' ? [...priceFields[kind], 'bidQuantity', 'askQuantity'] : priceFields[kind]
