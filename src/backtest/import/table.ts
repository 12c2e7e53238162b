/** The cells of a row, as text. A cell that the row does not have is undefined. */
export type Cells = readonly (string | undefined)[]

/** A row of a file. `line`: its number, from 1; in Parquet, the number of the row. */
export interface TableRow {
  readonly cells: Cells
  readonly line: number
}

/** The rows of a file. */
export interface Table {
  /** Describes the format, for the user: `CSV, ";", gzip`. */
  readonly format: string
  /** The names of the columns. `undefined`: the file has no header. */
  readonly names: readonly string[] | undefined
  /** The first rows, with all columns. */
  readonly sample: readonly Cells[]
  /**
   * All rows, piece by piece, from the start on. The cells of a row are in the order of the columns of the table, and those of
   * other columns than these may be missing. Throws if the file cannot be read.
   */
  readonly rows: (columns: readonly number[]) => AsyncGenerator<readonly TableRow[]>
}

/** The number of rows in a sample. */
export const sampleRows = 100

/** A longer line is no row of a table. In characters. */
export const maxLineLength = 2 ** 20
