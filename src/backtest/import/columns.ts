import { left, right, isLeft, type Either } from 'fp-ts/lib/Either.js'
import { describeValue } from '../../base/errors/text.js'
import type { Cells, Table } from './table.js'
import { numberOf, unitOf, type Unit } from './values.js'

/** What a column contains. */
export type Field =
  | 'time'
  | 'symbol'
  | 'price'
  | 'bid'
  | 'ask'
  | 'bidQuantity'
  | 'askQuantity'
  | 'open'
  | 'high'
  | 'low'
  | 'close'

/** The columns that the user gives, by name or by number from 1. */
export type GivenColumns = Readonly<Partial<Record<Field, string>>>

export type Kind = 'trades' | 'quotes' | 'tops of a book' | 'candles'

/** What the columns of a table mean. */
export interface Layout {
  readonly kind: Kind
  /** The indexes of the columns. */
  readonly columns: Readonly<Partial<Record<Field, number>>> & { readonly time: number }
  readonly unit: Unit
}

/** The usual names, without case and punctuation, the most specific first. */
const usualNames: Readonly<Record<Field, readonly string[]>> = {
  time: [
    // Of candles, before the names of their ends.
    ...['timeperiodstart', 'opentime', 'timeopen', 'starttime', 'begintime', 'candlebegintime'],
    ...['tradetime', 'transacttime', 'transactiontime', 'eventtime', 'exchangetime', 'timeexchange'],
    ...[
      'timestamp',
      'timestampms',
      'timems',
      'unixtime',
      'unixtimestamp',
      'unix',
      'time',
      'datetime',
      'ts',
      'tsms',
    ],
    ...['at', 'date', 'createdat', 'createdtime', 't', 'localtimestamp', 'receivedat'],
  ],
  symbol: [
    ...[
      'symbol',
      'topic',
      'mint',
      'address',
      'token',
      'pair',
      'market',
      'instrument',
      'ticker',
      'asset',
      'coin',
    ],
    ...['product', 'productid', 'instrumentname', 'instid', 'symbolid', 'base', 's'],
  ],
  price: [
    'price',
    'tradeprice',
    'lastprice',
    'midprice',
    'mid',
    'midpoint',
    'last',
    'rate',
    'px',
    'p',
    'value',
  ],
  bid: ['bid', 'bidprice', 'bestbid', 'bestbidprice', 'bidpx', 'bid1price', 'b'],
  ask: ['ask', 'askprice', 'bestask', 'bestaskprice', 'askpx', 'ask1price', 'offer', 'a'],
  bidQuantity: [
    ...['bidquantity', 'bidqty', 'bidsize', 'bidamount', 'bidvolume', 'bestbidqty', 'bestbidquantity'],
    ...['bestbidsize', 'bestbidamount', 'bidsz'],
  ],
  askQuantity: [
    ...['askquantity', 'askqty', 'asksize', 'askamount', 'askvolume', 'bestaskqty', 'bestaskquantity'],
    ...['bestasksize', 'bestaskamount', 'asksz'],
  ],
  open: ['open', 'openprice', 'o'],
  high: ['high', 'highprice', 'h'],
  low: ['low', 'lowprice', 'l'],
  close: ['close', 'closeprice', 'c'],
}

const fields = Object.keys(usualNames) as Field[]

const candleFields = ['open', 'high', 'low', 'close'] as const

/** The meaning of the columns. Left: what is missing, and how to give it. */
export const layoutOf = (
  { names, sample }: Pick<Table, 'names' | 'sample'>,
  given: GivenColumns,
): Either<string, Layout> => {
  if (sample.length === 0) return left('it has no row')
  const found = names === undefined ? columnsWithoutHeader(sample) : columnsByName(names)
  const columns: Partial<Record<Field, number>> = { ...found }
  for (const field of fields) {
    const text = given[field]
    if (text === undefined) continue
    const column = givenColumn(text, names, widthOf(sample))
    if (column === undefined) return left(`--${flagOf(field)}: ${noColumn(text, names, widthOf(sample))}`)
    columns[field] = column
  }
  const kind = kindOf(columns, given)
  const { time } = columns
  if (time === undefined || kind === undefined)
    return left(
      `no column ${time === undefined ? 'of times' : 'of prices'} is recognised in ${listed(names, sample)}; ` +
        `give ${time === undefined ? '--time' : '--price, --bid and --ask, or --open, --high, --low and --close'} ` +
        `by ${names === undefined ? 'number from 1' : 'name'}`,
    )
  const unit = unitOfColumn(sample.map((cells) => cells[time] ?? ''))
  if (isLeft(unit)) return left(`column ${columnName(names, time)}: ${unit.left}`)
  return right({ kind, columns: { ...used(columns, kind), time }, unit: unit.right })
}

/** `bidQuantity` is `--bid-quantity`. */
export const flagOf = (field: Field): string =>
  field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The name or the number of a column, for the user. */
export const columnName = (names: readonly string[] | undefined, index: number): string =>
  names?.[index] ?? String(index + 1)

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const columnsByName = (names: readonly string[]): Partial<Record<Field, number>> => {
  const known = names.map(plain)
  const entries = fields.map((field) => {
    const name = usualNames[field].find((usual) => known.includes(usual))
    return [field, name === undefined ? undefined : known.indexOf(name)] as const
  })
  return Object.fromEntries(entries.filter(([, index]) => index !== undefined))
}

/** A table without a header starts with the time, or with the number of a trade. */
const columnsWithoutHeader = (sample: readonly Cells[]): Partial<Record<Field, number>> => {
  const rows = sample.filter((cells) => cells.length > 1)
  const isTime = (index: number): boolean => isMost(rows, (cells) => unitOf(cells[index] ?? '') !== undefined)
  const isPositive = (index: number): boolean => isMost(rows, (cells) => numberOf(cells[index] ?? '') > 0)
  const isCandle = isMost(rows, (cells) => {
    const [open = NaN, high = NaN, low = NaN, close = NaN] = cells
      .slice(1, 5)
      .map((cell) => numberOf(cell ?? ''))
    return low > 0 && high >= Math.max(open, close) && low <= Math.min(open, close)
  })
  if (isTime(0) && isCandle) return { time: 0, open: 1, high: 2, low: 3, close: 4 }
  // A number of a trade may look like a time in seconds.
  const later = [...Array(widthOf(rows)).keys()].slice(3)
  const fineTime = later.find((index) => isMost(rows, (cells) => (unitOf(cells[index] ?? '') ?? 's') !== 's'))
  if (fineTime !== undefined && isPositive(1) && isMost(rows, (cells) => /^\d+$/.test(cells[0] ?? '')))
    return { time: fineTime, price: 1 }
  return isTime(0) && isPositive(1) ? { time: 0, price: 1 } : {}
}

/** True for more than half of the rows: a few may be damaged. */
const isMost = (rows: readonly Cells[], holds: (cells: Cells) => boolean): boolean =>
  rows.filter(holds).length * 2 > rows.length

const widthOf = (sample: readonly Cells[]): number => Math.max(0, ...sample.map(({ length }) => length))

const givenColumn = (
  text: string,
  names: readonly string[] | undefined,
  width: number,
): number | undefined => {
  const byName = names?.indexOf(text) ?? -1
  const index = byName >= 0 ? byName : (names?.findIndex((name) => plain(name) === plain(text)) ?? -1)
  if (index >= 0) return index
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : NaN
  return number <= (names?.length ?? width) ? number - 1 : undefined
}

const noColumn = (text: string, names: readonly string[] | undefined, width: number): string =>
  names === undefined
    ? `expected the number of a column, from 1 to ${width}, because the file has no header, got ${describeValue(text)}`
    : `the file has no column ${describeValue(text)}; it has ${names.map((name) => describeValue(name)).join(', ')}`

const listed = (names: readonly string[] | undefined, [first = []]: readonly Cells[]): string =>
  names === undefined
    ? `the first row, ${describeValue(first.join(' | '))}`
    : names.map((name) => describeValue(name)).join(', ')

/** Given columns decide; otherwise candles, then a price, then quotes. */
const kindOf = (columns: Partial<Record<Field, number>>, given: GivenColumns): Kind | undefined => {
  const has = (...names: readonly Field[]): boolean => names.every((name) => columns[name] !== undefined)
  const isGiven = (...names: readonly Field[]): boolean => names.some((name) => given[name] !== undefined)
  const quotes = has('bidQuantity', 'askQuantity') ? 'tops of a book' : 'quotes'
  if (isGiven('price')) return 'trades'
  if (isGiven('bid', 'ask', 'bidQuantity', 'askQuantity') && has('bid', 'ask')) return quotes
  if (has(...candleFields)) return 'candles'
  if (has('price')) return 'trades'
  if (has('bid', 'ask')) return quotes
  return undefined
}

const fieldsOf: Readonly<Record<Kind, readonly Field[]>> = {
  trades: ['price'],
  quotes: ['bid', 'ask'],
  'tops of a book': ['bid', 'ask', 'bidQuantity', 'askQuantity'],
  candles: candleFields,
}

const used = (columns: Partial<Record<Field, number>>, kind: Kind): Partial<Record<Field, number>> =>
  Object.fromEntries(
    Object.entries(columns).filter(([field]) =>
      (['time', 'symbol', ...fieldsOf[kind]] as readonly string[]).includes(field),
    ),
  )

/** The unit of most times. */
const unitOfColumn = (texts: readonly string[]): Either<string, Unit> => {
  const counts = new Map<Unit, number>()
  for (const text of texts) {
    const unit = unitOf(text)
    if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first === undefined
    ? left(
        `expected times of the years 2000 to 2099 in s, ms, µs or ns since the Unix epoch, or ISO 8601, got ${describeValue(texts[0])}`,
      )
    : right(first[0])
}
