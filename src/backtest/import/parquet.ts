import { readFile } from 'node:fs/promises'
import * as zlib from 'node:zlib'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type Compressors,
  type SchemaElement,
} from 'hyparquet'
import { describeValue } from '../../base/errors/text.js'
import { sampleRows, type Table } from './table.js'

const rowsAtOnce = 100_000

export const parquetTable = async (path: string, isGzip: boolean): Promise<Table> =>
  namingDamage(() => openParquet(path, isGzip))

const openParquet = async (path: string, isGzip: boolean): Promise<Table> => {
  // Parquet is read from its end.
  const file = isGzip
    ? Uint8Array.from(zlib.gunzipSync(await readFile(path))).buffer
    : await asyncBufferFromFile(path)
  const { schema, ...rest } = await parquetMetadataAsync(file)
  const elements = parquetSchema({ schema, ...rest })
    .children.filter(({ children }) => children.length === 0)
    .map(({ element }) => element)
  const names = elements.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw new Error(`several columns are ${describeValue(repeated)}: rename them`)
  const texts = elements.map(cellTextOf)
  // The library makes a decimal a double. Without its annotation, the value is the unscaled integer.
  const metadata = { ...rest, schema: schema.map(withoutDecimal) }
  const rowsOf = async (rowStart: number, rowEnd: number, columns: readonly number[]) => {
    const wanted = columns.map((column) => names[column] ?? '')
    const objects = await parquetReadObjects({
      file,
      metadata,
      columns: wanted,
      rowStart,
      rowEnd,
      useOffsetIndex: true,
      compressors,
      utf8: false,
    })
    return objects.map((row) =>
      names.map((name, index) => (columns.includes(index) ? texts[index]?.(row[name]) : undefined)),
    )
  }
  const count = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0)
  return {
    format: `Parquet${isGzip ? ', gzip' : ''}`,
    names,
    sample: count === 0 ? [] : await rowsOf(0, Math.min(sampleRows, count), [...names.keys()]),
    rows: async function* (columns) {
      for (let start = 0; start < count; start += rowsAtOnce) {
        const end = Math.min(start + rowsAtOnce, count)
        const cells = await namingDamage(() => rowsOf(start, end, columns))
        yield cells.map((row, index) => ({ cells: row, line: start + index + 1 }))
      }
    },
  }
}

/** The library does not check what it reads: damage causes a `TypeError`, a `RangeError`, or a message with `undefined` or `NaN`. */
const namingDamage = async <A>(read: () => Promise<A>): Promise<A> => {
  try {
    return await read()
  } catch (thrown) {
    const isNamed = thrown instanceof Error && thrown.name === 'Error'
    if (isNamed && !/undefined|NaN/.test(thrown.message)) throw thrown
    throw new Error('its Parquet data are damaged', { cause: thrown })
  }
}

/** zstd is in Node 22.15 and later. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (data: Uint8Array) => Buffer }

const compressors: Compressors = {
  GZIP: (data) => zlib.gunzipSync(data),
  BROTLI: (data) => zlib.brotliDecompressSync(data),
  ...(zstdDecompressSync === undefined ? {} : { ZSTD: (data) => zstdDecompressSync(data) }),
}

const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL'

const withoutDecimal = (element: SchemaElement): SchemaElement => {
  const plain = { ...element }
  if (!isDecimal(element)) return plain
  delete plain.converted_type
  delete plain.logical_type
  return plain
}

/** The text of a value of a column. A decimal has all its digits. */
const cellTextOf = (element: SchemaElement): ((value: unknown) => string | undefined) => {
  const { type, logical_type } = element
  // All digits that 32 bits have: a time needs more, which is a doubt.
  if (type === 'FLOAT') return (value) => (typeof value === 'number' ? value.toExponential(8) : undefined)
  if (!isDecimal(element)) return (value) => plainText(value, type === 'BYTE_ARRAY')
  const scale = element.scale ?? (logical_type?.type === 'DECIMAL' ? logical_type.scale : 0)
  return (value) => {
    const unscaled = unscaledOf(value)
    return unscaled === undefined ? undefined : `${unscaled}e${-scale}`
  }
}

/** Bytes are in two's complement, the highest first. */
const unscaledOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  if (!(value instanceof Uint8Array) || value.length === 0 || value.length > 32) return undefined
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`))
}

/** A timestamp is a `Date`, in ms. */
const plainText = (value: unknown, isText: boolean): string | undefined => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === 'string') return value
  if (isText && value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}
