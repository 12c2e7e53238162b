import { existsSync } from 'node:fs'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import type { Command } from 'commander'
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { Depth } from '../../../base/domain/depth.js'
import type { AnyError, RecordingError } from '../../../base/errors/model.js'
import { allTimes } from '../../../backtest/recording/format/timeline.js'
import type { RecordingHeader, Row } from '../../../backtest/recording/format/row.js'
import { encodeRow } from '../../../backtest/recording/format/row-codec.js'
import { nodePlatform } from '../../../backtest/recording/on-node.js'
import { readSet } from '../../../backtest/recording/read/recording-set.js'
import { openableSources } from '../../../backtest/recording/read/source.js'
import type { Io } from '../io.js'
import { errorLine, writeFailure } from '../output/error-text.js'
import { usageError } from '../run.js'
import { signals } from '../stop.js'

export interface ExportFlags {
  readonly out: string
}

const tableNames = ['prices', 'depths', 'events'] as const

type TableName = (typeof tableNames)[number]

/** Quantities are decimal numbers, or text if one has more digits than Parquet readers accept. */
type QuantityKind = 'decimal' | 'text'

/** The result of one pass over the recording. `too long`: a quantity does not fit in the tables. */
interface Pass {
  readonly outcome: 'complete' | 'too long' | 'stopped'
  readonly rows: number
  readonly failure?: RecordingError
}

/** Writes the tables of a recording. Until they are complete, they have the name of a partial file. */
export const exportRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { out }: ExportFlags,
): Promise<void> => {
  if (!out.endsWith('.parquet')) return usageError(command, '--out: expected a name that ends with .parquet')
  const paths = new Map(tableNames.map((name) => [name, out.replace(/parquet$/, `${name}.parquet`)]))
  const existing = [...paths.values()].filter((path) => existsSync(path))
  if (existing.length > 0)
    return usageError(
      command,
      `--out: ${existing.join(', ')} ${existing.length === 1 ? 'exists' : 'exist'}; choose another name, or move it`,
    )
  let stopped = false
  const stop = (): void => void (stopped = true)
  for (const signal of signals) io.on(signal, stop)
  const pass = async (quantities: QuantityKind) => writePass(files, paths, quantities, () => stopped)
  try {
    const first = await pass('decimal')
    const { outcome, rows, failure } = first.outcome === 'too long' ? await pass('text') : first
    if (outcome === 'stopped') throw new Error('stopped; no file was written')
    if (failure !== undefined && rows === 0) throw new Error(errorLine(failure))
    for (const path of paths.values()) await rename(partOf(path), path)
    io.stdout.write(`Wrote ${rows} rows to ${[...paths.values()].join(', ')}\n`)
    if (failure !== undefined) throw new Error(errorLine(failure))
  } finally {
    for (const signal of signals) io.off(signal, stop)
    for (const path of paths.values()) await rm(partOf(path), { force: true })
  }
}

const partOf = (path: string): string => `${path}.part`

const writePass = async (
  files: readonly string[],
  paths: ReadonlyMap<TableName, string>,
  quantities: QuantityKind,
  isStopped: () => boolean,
): Promise<Pass> => {
  const tables = await openTables(paths, quantities)
  const closing = new Subscription()
  let rows = 0
  try {
    for await (const entries of readSet(openableSources(nodePlatform, files), { range: allTimes, closing })) {
      if (isLeft(entries)) return { outcome: 'complete', rows, failure: entries.left }
      for (const { line } of entries.right) {
        if (quantities === 'decimal' && isTooLong(line)) return { outcome: 'too long', rows }
        rows++
        const { table, values } = tableRow(line, quantities)
        const full = tables[table].add(values)
        if (full !== undefined) await full
      }
      if (isStopped()) return { outcome: 'stopped', rows }
    }
    return { outcome: 'complete', rows }
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
  quantities: QuantityKind,
): Promise<Readonly<Record<TableName, ParquetTable>>> => {
  const open = (name: TableName, columns: Readonly<Record<string, ColumnKind>>) =>
    ParquetTable.create(paths.get(name) ?? name, columns)
  return {
    prices: await open('prices', {
      at: 'time',
      topic: 'text',
      price: 'double',
      received_at: 'time',
      epoch: 'integer',
    }),
    depths: await open('depths', {
      at: 'time',
      mint: 'text',
      price: 'double',
      timestamp: 'time',
      buy_quantity: quantities,
      buy_usd: 'double',
      sell_quantity: quantities,
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

const isTooLong = (line: Row | RecordingHeader): boolean => {
  if (line._tag !== 'Depth' || isLeft(line.event)) return false
  const { buy, sell } = line.event.right
  return buy.totalQuantity > maxDecimal || sell.totalQuantity > maxDecimal
}

interface TableRow {
  readonly table: TableName
  /** In the order of the columns. */
  readonly values: readonly unknown[]
}

const tableRow = (line: Row | RecordingHeader, quantities: QuantityKind): TableRow => {
  if (line._tag === 'Price' && isRight(line.event)) {
    const { price, receivedAt, epoch } = line.event.right
    return { table: 'prices', values: [line.at, line.topic, price, receivedAt, epoch] }
  }
  if (line._tag === 'Depth' && isRight(line.event))
    return { table: 'depths', values: depthValues(line.at, line.event.right, quantities) }
  return { table: 'events', values: [line.at, ...eventValues(line), encodeRow(line)] }
}

const depthValues = (
  at: number,
  { mint, price, timestamp, buy, sell, receivedAt }: Depth,
  quantities: QuantityKind,
): readonly unknown[] => {
  const quantity = (units: bigint) => (quantities === 'text' ? String(units) : units)
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

/** `time`: ms since the Unix epoch. `decimal`: a bigint of at most 38 digits. Any value may be undefined. */
export type ColumnKind = 'time' | 'text' | 'double' | 'integer' | 'decimal'

/** The number of rows that are kept in memory and written together. */
const rowsPerGroup = 50_000

/** A Parquet file that is written row by row, in bounded memory. It has the name of a partial file. */
export class ParquetTable {
  private columns: unknown[][]
  private readonly kinds: readonly ColumnKind[]
  private readonly names: readonly string[]
  private readonly writer: ParquetWriter
  private readonly bytes = new ByteWriter()

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    columns: Readonly<Record<string, ColumnKind>>,
  ) {
    this.names = Object.keys(columns)
    this.kinds = Object.values(columns)
    this.columns = this.names.map(() => [])
    const elements = Object.entries(columns).map(([name, kind]) => ({ name, ...schemaOf[kind] }))
    const root = { name: 'root', num_children: elements.length }
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: [root, ...elements],
      createdBy: 'svc-streams',
    })
  }

  static async create(path: string, columns: Readonly<Record<string, ColumnKind>>): Promise<ParquetTable> {
    const file = await open(partOf(path), 'w').catch((thrown: unknown) => {
      throw writeFailure(path, thrown)
    })
    return new ParquetTable(path, file, columns)
  }

  /** Adds a row: its values in the order of the columns. Returns a promise if rows are written, to wait for. */
  add(values: readonly unknown[]): Promise<void> | undefined {
    const { columns, kinds } = this
    for (const [index, column] of columns.entries())
      column.push(kinds[index] === 'time' ? timeOf(values[index]) : values[index])
    return (columns[0]?.length ?? 0) < rowsPerGroup ? undefined : this.writeRows()
  }

  /** Writes the remaining rows and the end of the file, and closes it. */
  async close(): Promise<void> {
    try {
      await this.writeRows()
      await this.writer.finish()
      await this.writeBytes()
    } finally {
      await this.file.close()
    }
  }

  private async writeRows(): Promise<void> {
    const { columns, names } = this
    if (columns[0]?.length === 0) return
    this.columns = names.map(() => [])
    // An index of pages per column would grow with the number of groups.
    const columnData = columns.map((data, index) => ({ name: names[index] ?? '', data, offsetIndex: false }))
    await this.writer.write({ columnData, rowGroupSize: rowsPerGroup })
    await this.writeBytes()
  }

  private async writeBytes(): Promise<void> {
    const { bytes, file, path } = this
    try {
      for (let from = 0; from < bytes.index;) {
        const { bytesWritten } = await file.write(new Uint8Array(bytes.buffer, from, bytes.index - from))
        from += bytesWritten
      }
    } catch (thrown) {
      throw writeFailure(path, thrown)
    }
    bytes.index = 0
  }
}

/** A recording may have fractions of a ms. */
const timeOf = (ms: unknown): bigint | undefined =>
  typeof ms === 'number' ? BigInt(Math.floor(ms)) : undefined

const optional = { repetition_type: 'OPTIONAL' } as const

/** Times are UTC. Marked as local, because DuckDB then needs no extension for time zones. */
const schemaOf: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  time: {
    ...optional,
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
  },
  text: { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  double: { ...optional, type: 'DOUBLE' },
  integer: { ...optional, type: 'INT32' },
  decimal: {
    ...optional,
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: 0,
  },
}
