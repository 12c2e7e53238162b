import { rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { counted } from '../../view/texts.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Depth } from '../../base/domain/depth.js'
import type { AnyError, RecordingError } from '../../base/errors/model.js'
import { allTimes } from '../../backtest/recording/codec/timeline.js'
import type { RecordingHeader, Row } from '../../backtest/recording/codec/row.js'
import { encodeRow } from '../../backtest/recording/codec/row-codec.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { readSet } from '../../backtest/recording/read/merge.js'
import { openableSources } from '../../backtest/recording/read/source.js'
import { partOf } from '../../backtest/recording/files/files.js'
import { checkOutput } from '../target/read-file.js'
import type { Io } from '../io.js'
import { failureOf } from '../render/error-text.js'
import { ParquetTable, type ColumnKind } from '../render/parquet-table.js'
import { numberFormat } from '../render/terminal.js'
import { usageError } from '../run.js'
import { signals } from '../stop.js'
import { defineCommand, many } from './shared/parts.js'
import { requiredFlag } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams export market.ndjson --out market.parquet
      Write market.prices.parquet, market.depths.parquet and market.events.parquet.
  $ npx svc-streams export market.*.ndjson.gz --out night.parquet
      Export several files as one recording.
  $ duckdb -c "SELECT topic, count(*), max(price) FROM 'market.prices.parquet' GROUP BY ALL"
      Query a table. Python reads it with pandas.read_parquet.

The tables:
  prices  at, topic, price (USD), received_at, epoch
  depths  at, mint, price (USD), timestamp, buy_quantity, buy_usd, sell_quantity, sell_usd, received_at
  events  at, kind (of the row), stream (topic or mint), tag (of the error or the status), message, row (as JSON)

Times are UTC, in ms. Quantities are in base-token units and exact: DECIMAL(38, 0), or text in all rows if one has more
digits. A table without a row is written too. Existing files are not overwritten. Memory does not grow with the recording.

If the recording is truncated or damaged, the rows before the damage are exported, and the command fails.

Exit codes: 0 if all rows were exported, 1 otherwise.`

export const createCommand = defineCommand({
  examples,
  arguments: many('<file...>', 'recordings, plain or gzip'),
  flags: { out: requiredFlag('--out <file>', 'name of the tables, such as market.parquet') },
  action: (io, command, { out }, files) => exportRecordings(io, command, files, out),
})

const tableNames = ['prices', 'depths', 'events'] as const

type TableName = (typeof tableNames)[number]

/** The kinds of the columns that are wider if a value of the recording requires it. */
interface Widths {
  /** `text` if a quantity has more digits than Parquet readers accept. */
  readonly quantity: 'decimal' | 'text'
  /** `long` if an epoch has more than 31 bits. */
  readonly epoch: 'integer' | 'long'
}

/** The result of one pass over the recording. */
interface Pass {
  readonly outcome: 'complete' | 'stopped' | 'too narrow'
  readonly rows: number
  /** Those that all rows so far require. */
  readonly widths: Widths
  readonly failure?: RecordingError
}

/** Writes the tables of a recording. Until they are complete, they have the name of a partial file. */
const exportRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  out: string,
): Promise<void> => {
  if (!out.endsWith('.parquet')) return usageError(command, '--out: expected a name that ends with .parquet')
  const paths = new Map(tableNames.map((name) => [name, out.replace(/parquet$/, `${name}.parquet`)]))
  for (const path of paths.values()) checkOutput(command, '--out', path)
  let stopped = false
  const stop = (): void => void (stopped = true)
  for (const signal of signals) io.on(signal, stop)
  const pass = async (widths: Widths) => writePass(files, paths, widths, () => stopped)
  try {
    let result = await pass({ quantity: 'decimal', epoch: 'integer' })
    while (result.outcome === 'too narrow') result = await pass(result.widths)
    const { outcome, rows, failure } = result
    if (outcome === 'stopped') throw new Error('stopped; no file was written')
    if (failure !== undefined && rows === 0) throw failureOf(failure)
    for (const path of paths.values()) await rename(partOf(path), path)
    io.stdout.write(
      `Wrote ${counted(rows, 'row', numberFormat(io.stdout))} to ${[...paths.values()].join(', ')}\n`,
    )
    if (failure !== undefined) throw failureOf(failure)
  } finally {
    for (const signal of signals) io.off(signal, stop)
    for (const path of paths.values()) await rm(partOf(path), { force: true })
  }
}

const writePass = async (
  files: readonly string[],
  paths: ReadonlyMap<TableName, string>,
  widths: Widths,
  isStopped: () => boolean,
): Promise<Pass> => {
  const tables = await openTables(paths, widths)
  const closing = new Subscription()
  let rows = 0
  try {
    for await (const entries of readSet(openableSources(nodePlatform, files), { range: allTimes, closing })) {
      if (isLeft(entries)) return { outcome: 'complete', rows, widths, failure: entries.left }
      for (const { line } of entries.right) {
        const required = widthsFor(line, widths)
        if (required !== widths) return { outcome: 'too narrow', rows, widths: required }
        // A header is no row, as `record` counts.
        if (line._tag !== 'Recording') rows++
        const { table, values } = tableRow(line, widths)
        const full = tables[table].add(values)
        if (full !== undefined) await full
      }
      if (isStopped()) return { outcome: 'stopped', rows, widths }
    }
    return { outcome: 'complete', rows, widths }
  } finally {
    closing.unsubscribe()
    await closeAll(Object.values(tables))
  }
}

/** Closes each table, also after a failure. Rejects with the first failure. */
const closeAll = async (tables: readonly ParquetTable[]): Promise<void> => {
  const results = await Promise.allSettled(tables.map((table) => table.close()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

const openTables = async (
  paths: ReadonlyMap<TableName, string>,
  { quantity, epoch }: Widths,
): Promise<Readonly<Record<TableName, ParquetTable>>> => {
  const open = (name: TableName, columns: Readonly<Record<string, ColumnKind>>) =>
    ParquetTable.create(paths.get(name) ?? name, columns)
  return {
    prices: await open('prices', {
      at: 'time',
      topic: 'text',
      price: 'double',
      received_at: 'time',
      epoch,
    }),
    depths: await open('depths', {
      at: 'time',
      mint: 'text',
      price: 'double',
      timestamp: 'time',
      buy_quantity: quantity,
      buy_usd: 'double',
      sell_quantity: quantity,
      sell_usd: 'double',
      received_at: 'time',
    }),
    events: await open('events', {
      at: 'time',
      kind: 'text',
      stream: 'text',
      tag: 'text',
      message: 'text',
      row: 'text',
    }),
  }
}

/** The largest quantity of DECIMAL(38, 0). */
const maxDecimal = 10n ** 38n - 1n

/** The largest epoch of INT32. */
const maxInteger = 2 ** 31 - 1

/** Equal to `widths` if the line fits. */
const widthsFor = (line: Row | RecordingHeader, widths: Widths): Widths => {
  if (line._tag === 'Price' && isRight(line.event)) {
    const isWide = line.event.right.epoch > maxInteger && widths.epoch === 'integer'
    return isWide ? { ...widths, epoch: 'long' } : widths
  }
  if (line._tag !== 'Depth' || isLeft(line.event) || widths.quantity === 'text') return widths
  const { buy, sell } = line.event.right
  const isWide = buy.totalQuantity > maxDecimal || sell.totalQuantity > maxDecimal
  return isWide ? { ...widths, quantity: 'text' } : widths
}

interface TableRow {
  readonly table: TableName
  /** In the order of the columns. */
  readonly values: readonly unknown[]
}

const tableRow = (line: Row | RecordingHeader, { quantity }: Widths): TableRow => {
  if (line._tag === 'Price' && isRight(line.event)) {
    const { price, receivedAt, epoch } = line.event.right
    return { table: 'prices', values: [line.at, line.topic, price, receivedAt, epoch] }
  }
  if (line._tag === 'Depth' && isRight(line.event))
    return { table: 'depths', values: depthValues(line.at, line.event.right, quantity) }
  return { table: 'events', values: [line.at, ...eventValues(line), encodeRow(line)] }
}

const depthValues = (
  at: number,
  { mint, price, timestamp, buy, sell, receivedAt }: Depth,
  kind: Widths['quantity'],
): readonly unknown[] => {
  const quantity = (units: bigint) => (kind === 'text' ? String(units) : units)
  const { totalQuantity: bought, totalQuantityUsd: boughtUsd } = buy
  const { totalQuantity: sold, totalQuantityUsd: soldUsd } = sell
  return [at, mint, price, timestamp, quantity(bought), boughtUsd, quantity(sold), soldUsd, receivedAt]
}

/** The kind, the stream, the tag and the message of a row of `events`. */
const eventValues = (line: Row | RecordingHeader): readonly (string | undefined)[] => {
  switch (line._tag) {
    case 'Price':
      return ['Price', line.topic, ...errorValues(line.event)]
    case 'Depth':
      return ['Depth', line.mint, ...errorValues(line.event)]
    case 'End':
      return ['End', line.of, undefined, undefined]
    case 'Status':
      return ['Status', undefined, line.status._tag, undefined]
    case 'Uncorrelated':
      return ['Uncorrelated', undefined, line.error._tag, line.error.message]
    case 'Recording':
      return ['Recording', undefined, undefined, undefined]
    default:
      return assertNever(line)
  }
}

const errorValues = (event: Either<AnyError, unknown>): readonly (string | undefined)[] =>
  isLeft(event) ? [event.left._tag, event.left.message] : [undefined, undefined]
