import { open, type FileHandle } from 'node:fs/promises'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { partOf } from '../../backtest/recording/files/files.js'
import { writeFailure } from './error-text.js'

/**
 * `time`: ms since the Unix epoch. `long`: an integer of 64 bits. `decimal`: a bigint of at most 38 digits. Any
 * value may be undefined.
 */
export type ColumnKind = 'time' | 'text' | 'double' | 'long' | 'decimal'

/** The limits of the rows that are kept in memory and written together. A longer row is written alone. */
const rowsPerGroup = 50_000
const bytesPerGroup = 8 * 2 ** 20

interface Column {
  readonly name: string
  readonly kind: ColumnKind
  data: unknown[]
}

/** A Parquet file that is written row by row, in bounded memory. It has the name of a partial file. */
export class ParquetTable {
  private readonly columns: readonly Column[]
  private rows = 0
  /** Approximate size of the columns. */
  private bytesInColumns = 0
  private readonly writer: ParquetWriter
  private readonly bytes = new ByteWriter()

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    columns: Readonly<Record<string, ColumnKind>>,
  ) {
    this.columns = Object.entries(columns).map(([name, kind]) => ({ name, kind, data: [] }))
    const elements = this.columns.map(({ name, kind }) => ({ name, ...schemaOf[kind] }))
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: [{ name: 'root', num_children: elements.length }, ...elements],
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
    for (const [index, { kind, data }] of this.columns.entries()) {
      const value = valueOf(kind, values[index])
      this.bytesInColumns += typeof value === 'string' ? value.length : bytesPerNumber
      data.push(value)
    }
    const isFull = ++this.rows >= rowsPerGroup || this.bytesInColumns >= bytesPerGroup
    return isFull ? this.writeRows() : undefined
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
    if (this.rows === 0) return
    // An index of pages and the least and greatest text of each group would stay in memory until the end.
    const columnData = this.columns.map(({ name, kind, data }) => ({
      ...{ name, data, offsetIndex: false, statistics: kind !== 'text' },
    }))
    for (const column of this.columns) column.data = []
    this.rows = 0
    this.bytesInColumns = 0
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

const bytesPerNumber = 8

/** A recording may have fractions of a ms. The writer makes a time a bigint, which takes more memory than a number, when it writes it. */
const valueOf = (kind: ColumnKind, value: unknown): unknown => {
  if (kind === 'time' && typeof value === 'number') return Math.floor(value)
  return kind === 'long' && typeof value === 'number' ? BigInt(value) : value
}

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
  long: { ...optional, type: 'INT64' },
  decimal: {
    ...optional,
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: 0,
  },
}
