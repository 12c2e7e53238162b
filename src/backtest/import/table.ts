/** The cells of a row, as text. A cell that the row does not have is undefined. */
export type Cells = readonly (string | undefined)[]

/** A row of a file. `line`: its number, from 1; in Parquet, the number of the row. */
export interface TableRow<C = Cells> {
  readonly cells: C
  readonly line: number
}

export interface Table {
  /** Describes the format, for the user: `CSV, ";", gzip`. */
  readonly format: string
  /** The names of the columns. `undefined`: the file has no header. */
  readonly names: readonly string[] | undefined
  /** The first rows, with all columns. */
  readonly sample: readonly Cells[]
  /** All rows, piece by piece. Cells keep their indexes; those of other columns may be undefined. Throws if the file cannot be read. */
  readonly rows: (columns: readonly number[]) => AsyncGenerator<readonly TableRow[]>
}

export const sampleRows = 100

/** A longer line is no row of a table. In characters. */
export const maxLineLength = 2 ** 20
