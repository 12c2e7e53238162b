/** The cells of a row, as text. A cell that the row does not have is undefined. */
export type Cells = readonly (string | undefined)[]

/** Receives a row. `line`: its number in the file, from 1; in Parquet, the number of the row. */
export type OnRow = (cells: Cells, line: number) => void

/** The rows of a file. */
export interface Table {
  /** Describes the format, for the user: `CSV, ";", gzip`. */
  readonly format: string
  /** The names of the columns. `undefined`: the file has no header. */
  readonly names: readonly string[] | undefined
  /** The first rows, with all columns. */
  readonly sample: readonly Cells[]
  /**
   * Reads all rows. The cells of a row are in the order of the columns of the table, and those of other columns than these may
   * be missing. `onPiece` is called after each piece of the file, and may throw to stop. Rejects if the file cannot be read.
   */
  readonly read: (columns: readonly number[], onRow: OnRow, onPiece: () => void) => Promise<void>
}

/** The number of rows in a sample. */
export const sampleRows = 100

/** Receives lines of a text. `line`: the number of the first one, from 1. */
export type OnLines = (lines: readonly string[], line: number) => void

/** Reads all lines of a file. `onPiece` as of a table. */
export type ReadLines = (onLines: OnLines, onPiece: () => void) => Promise<void>
