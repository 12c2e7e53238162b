import { open, type FileHandle } from 'node:fs/promises'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'

/** `time`: ms since the Unix epoch. `decimal`: a bigint of at most 38 digits. Any value may be undefined. */
export type ColumnKind = 'time' | 'text' | 'double' | 'integer' | 'decimal'

/** The number of rows that are kept in memory and written together. */
const rowsPerGroup = 50_000

/** A Parquet file that is written row by row, in bounded memory. */
export class ParquetTable {
  private columns: unknown[][]
  private readonly kinds: readonly ColumnKind[]
  private readonly names: readonly string[]
  private readonly writer: ParquetWriter
  private readonly bytes = new ByteWriter()

  private constructor(
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
    return new ParquetTable(await open(path, 'w'), columns)
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
    const { bytes, file } = this
    for (let from = 0; from < bytes.index;) {
      const { bytesWritten } = await file.write(new Uint8Array(bytes.buffer, from, bytes.index - from))
      from += bytesWritten
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
