import * as zlib from 'node:zlib'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type Compressors,
} from 'hyparquet'
import { sampleRows, type Cells, type Table } from './table.js'

/** The rows that are read at once. */
const rowsAtOnce = 100_000

/** A file of the format Parquet. */
export const parquetTable = async (path: string, isGzip: boolean): Promise<Table> => {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const names = parquetSchema(metadata)
    .children.filter(({ children }) => children.length === 0)
    .map(({ element }) => element.name)
  const rows = Number(metadata.num_rows)
  const rowsOf = async (
    rowStart: number,
    rowEnd: number,
    columns: readonly number[],
  ): Promise<readonly Cells[]> => {
    const wanted = columns.map((column) => names[column] ?? '')
    let read: readonly Cells[] = []
    await parquetRead({
      file,
      metadata,
      columns: wanted,
      rowStart,
      rowEnd,
      rowFormat: 'object',
      useOffsetIndex: true,
      compressors,
      onComplete: (objects) => {
        read = objects.map((row) =>
          names.map((name, index) => (columns.includes(index) ? cellOf(row[name]) : undefined)),
        )
      },
    })
    return read
  }
  return {
    format: `Parquet${isGzip ? ', gzip' : ''}`,
    names,
    sample: await rowsOf(0, Math.min(sampleRows, rows), [...names.keys()]),
    rows: async function* (columns) {
      let groupStart = 0
      for (const group of metadata.row_groups) {
        const groupEnd = groupStart + Number(group.num_rows)
        for (let start = groupStart; start < groupEnd; start += rowsAtOnce) {
          const cells = await rowsOf(start, Math.min(start + rowsAtOnce, groupEnd), columns)
          yield cells.map((row, index) => ({ cells: row, line: start + index + 1 }))
        }
        groupStart = groupEnd
      }
    },
  }
}

/** Those of Node, beside Snappy, which `hyparquet` has. zstd is in Node 22.15 and later. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (data: Uint8Array) => Buffer }
const compressors: Compressors = {
  GZIP: (data) => zlib.gunzipSync(data),
  BROTLI: (data) => zlib.brotliDecompressSync(data),
  ...(zstdDecompressSync === undefined ? {} : { ZSTD: (data: Uint8Array) => zstdDecompressSync(data) }),
}

/** A timestamp is a `Date`, in ms. */
const cellOf = (value: unknown): string | undefined => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}
