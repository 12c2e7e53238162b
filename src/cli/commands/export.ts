import { rename, rm } from 'node:fs/promises'
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { counted, formatTime } from '../../view/texts.js'
import type { AnyError, RecordingError } from '../../base/errors/model.js'
import type { RecordingHeader, Row } from '../../backtest/recording/codec/row.js'
import { encodeRow } from '../../backtest/recording/codec/row-codec.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { readSet } from '../../backtest/recording/read/merge.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { partOf } from '../../backtest/recording/files/files.js'
import { checkOutput } from '../target/read-file.js'
import type { Io } from '../io.js'
import { failureOf } from '../render/error-text.js'
import { nameOf } from '../render/rows.js'
import { ParquetTable, type ColumnKind } from '../render/parquet-table.js'
import { numberFormat } from '../render/terminal.js'
import { interrupted } from '../stop.js'
import { CsvFile, numberCell } from './shared/csv-file.js'
import { defineCommand, many } from './shared/parts.js'
import { requiredFlag, usageError } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams export market.ndjson --out market.parquet
      Write market.prices.parquet, market.depths.parquet and market.events.parquet.
  $ duckdb -c "SELECT topic, count(*), max(price) FROM 'market.prices.parquet' GROUP BY ALL"
      Query a table. Python reads it with pandas.read_parquet.

The tables:
  prices  at, topic, price (USD), received_at, epoch
  depths  at, mint, price (USD), timestamp, buy_quantity, buy_usd, sell_quantity, sell_usd, received_at
  events  at, kind (of the row), stream (topic or mint), tag (of the error or the status), message, row (as JSON)

Times are UTC, in ms; in CSV they are ISO 8601. Quantities are in base-token units and exact. Existing files are not overwritten.
If the recording is damaged, the rows before the damage are exported, and the command fails.

Exit codes: 0 if all rows were exported, 2 for invalid arguments, 1 otherwise.`

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/analysis.md',
  arguments: many('<file...>', 'recordings, plain or gzip'),
  flags: { out: requiredFlag('--out <file>', 'name of the tables, such as market.parquet or market.csv') },
  action: (io, _command, { out }, files) => exportRecordings(io, files, out),
})

type TableName = 'prices' | 'depths' | 'events'

const columnsOf: Readonly<Record<TableName, Readonly<Record<string, ColumnKind>>>> = {
  prices: { at: 'time', topic: 'text', price: 'double', received_at: 'time', epoch: 'long' },
  depths: {
    ...{ at: 'time', mint: 'text', price: 'double', timestamp: 'time' },
    ...{ buy_quantity: 'decimal', buy_usd: 'double', sell_quantity: 'decimal', sell_usd: 'double' },
    received_at: 'time',
  },
  events: { at: 'time', kind: 'text', stream: 'text', tag: 'text', message: 'text', row: 'text' },
}

const tableNames = Object.keys(columnsOf) as readonly TableName[]

/** A file of rows: each has its values in the order of the columns. */
type Table = Pick<ParquetTable, 'add' | 'close'>

const createTable = (path: string, columns: Readonly<Record<string, ColumnKind>>): Table => {
  if (!path.endsWith('.csv')) return new ParquetTable(path, columns)
  const file = new CsvFile('--out', partOf(path), Object.keys(columns))
  const kinds = Object.values(columns)
  const cellOf = (value: unknown, index: number): string => {
    if (kinds[index] === 'time') return formatTime(value as number)
    return typeof value === 'string' ? value : numberCell(value)
  }
  return { add: (values) => file.add(values.map(cellOf)), close: () => file.close() }
}

/** Writes the tables of a recording. Until they are complete, they have the name of a partial file. */
const exportRecordings = async (io: Io, files: readonly string[], out: string): Promise<void> => {
  const [, start, type] = /^(.*\.)(parquet|csv)$/s.exec(out) ?? []
  if (start === undefined) return usageError('--out: expected a name that ends with .parquet or .csv')
  const paths = tableNames.map((name) => `${start}${name}.${type}`)
  for (const path of paths) checkOutput('--out', path)
  let stopped = false as boolean
  void interrupted(io).then(() => (stopped = true))
  try {
    const { rows, failure } = await writeTables(files, paths, () => stopped)
    if (stopped) throw new Error('stopped; no file was written')
    if (failure !== undefined && rows === 0) throw failureOf(failure)
    for (const path of paths) await rename(partOf(path), path)
    io.stdout.write(`Wrote ${counted(rows, 'row', numberFormat(io.stdout))} to ${paths.join(', ')}\n`)
    if (failure !== undefined) throw failureOf(failure)
  } finally {
    for (const path of paths) await rm(partOf(path), { force: true })
  }
}

/** Resolves to the number of rows, as `record` counts them, and to the error that ends the recording. */
const writeTables = async (
  files: readonly string[],
  paths: readonly string[],
  isStopped: () => boolean,
): Promise<{ readonly rows: number; readonly failure?: RecordingError }> => {
  const tables: Partial<Record<TableName, Table>> = {}
  let rows = 0
  try {
    for (const [index, name] of tableNames.entries())
      tables[name] = createTable(paths[index] ?? '', columnsOf[name])
    for await (const entries of readSet(openableSources(nodePlatform, files))) {
      if (isLeft(entries)) return { rows, failure: entries.left }
      for (const { line } of entries.right) {
        if (line._tag !== 'Recording') rows++
        const [name, values] = tableRow(line)
        tables[name]?.add(values)
      }
      if (isStopped()) break
    }
    return { rows }
  } finally {
    for (const table of Object.values(tables)) table.close()
  }
}

/** A row, and its values in the order of the columns. */
const tableRow = (line: Row | RecordingHeader): readonly [TableName, readonly unknown[]] => {
  const { at } = line
  if (line._tag === 'Price' && isRight(line.event)) {
    const { price, receivedAt, epoch } = line.event.right
    return ['prices', [at, line.topic, price, receivedAt, BigInt(epoch)]]
  }
  if (line._tag === 'Depth' && isRight(line.event)) {
    const { mint, price, timestamp, buy, sell, receivedAt } = line.event.right
    const [bought, sold] = [buy.totalQuantity, sell.totalQuantity]
    if (bought <= maxDecimal && sold <= maxDecimal)
      return [
        'depths',
        [at, mint, price, timestamp, bought, buy.totalQuantityUsd, sold, sell.totalQuantityUsd, receivedAt],
      ]
  }
  const event: Either<AnyError, unknown> | undefined = 'event' in line ? line.event : undefined
  const uncorrelated = line._tag === 'Uncorrelated' ? line.error : undefined
  const error = event?._tag === 'Left' ? event.left : uncorrelated
  const stream = line._tag === 'Recording' ? undefined : nameOf(line)
  const tag = line._tag === 'Status' ? line.status._tag : error?._tag
  return ['events', [at, line._tag, stream, tag, error?.message, encodeRow(line)]]
}

/** The largest quantity of DECIMAL(38, 0). */
const maxDecimal = 10n ** 38n - 1n
