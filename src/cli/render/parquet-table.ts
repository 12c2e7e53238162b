import { fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { partOf } from '../../backtest/recording/files/files.js'
import { writeFailure } from './error-text.js'

/** `time`: ms since the Unix epoch. `long`: 64 bits. `decimal`: at most 38 digits. Both are bigints. Any value may be undefined. */
export type ColumnKind = 'time' | 'text' | 'double' | 'long' | 'decimal'

/** The limits of the rows that are kept in memory and written together. A longer row is written alone. */
const rowsPerGroup = 50_000
const bytesPerGroup = 8 * 2 ** 20
const bytesPerNumber = 8

/** A Parquet file that is written row by row, in bounded memory. It has the name of a partial file. */
export class ParquetTable {
  private readonly writer: ParquetWriter
  private rows: (readonly unknown[])[] = []
  /** Approximate size of the rows. */
  private size = 0

  constructor(
    private readonly path: string,
    private readonly columns: Readonly<Record<string, ColumnKind>>,
  ) {
    const elements = Object.entries(columns).map(([name, kind]) => ({ name, ...schemaOf[kind] }))
    const schema = [{ name: 'root', num_children: elements.length }, ...elements]
    const options = { schema, createdBy: 'svc-streams' }
    this.writer = this.attempt(() => new ParquetWriter({ writer: fileWriter(partOf(path)), ...options }))
  }

  /** Adds a row: its values in the order of the columns. */
  add(values: readonly unknown[]): void {
    for (const value of values) this.size += typeof value === 'string' ? value.length : bytesPerNumber
    this.rows.push(values)
    if (this.rows.length >= rowsPerGroup || this.size >= bytesPerGroup) this.writeRows()
  }

  /** Writes the remaining rows and the end of the file. */
  close(): void {
    this.writeRows()
    this.attempt(() => void this.writer.finish())
  }

  private writeRows(): void {
    const { rows } = this
    this.rows = []
    this.size = 0
    // An index of pages and the least and greatest text of each group would stay in memory until the end.
    const columnData = Object.entries(this.columns).map(([name, kind], index) => ({
      ...{
        name,
        data: rows.map((row) => valueOf(kind, row[index])),
        offsetIndex: false,
        statistics: kind !== 'text',
      },
    }))
    if (rows.length > 0)
      this.attempt(() => void this.writer.write({ columnData, rowGroupSize: rowsPerGroup }))
  }

  private attempt<A>(work: () => A): A {
    try {
      return work()
    } catch (thrown) {
      throw writeFailure(this.path, thrown)
    }
  }
}

/** A recording may have fractions of a ms. */
const valueOf = (kind: ColumnKind, value: unknown): unknown =>
  kind === 'time' && typeof value === 'number' ? Math.floor(value) : value

const optional = { repetition_type: 'OPTIONAL' } as const
const time = { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } as const
const exact = { type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 0 } as const

/** Times are UTC. Marked as local, because DuckDB then needs no extension for time zones. */
const schemaOf: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  time: { ...optional, type: 'INT64', logical_type: time },
  text: { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  double: { ...optional, type: 'DOUBLE' },
  long: { ...optional, type: 'INT64' },
  decimal: { ...optional, type: 'FIXED_LEN_BYTE_ARRAY', ...exact },
}
