import * as zlib from 'node:zlib'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  snappyUncompress,
  type AsyncBuffer,
  type ColumnMetaData,
  type Compressors,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { printable } from '../../base/errors/text.js'
import { sampleRows, type Cells, type Table } from './table.js'

/** The rows that are read at once. */
const rowsAtOnce = 100_000

/** A file of the format Parquet. */
export const parquetTable = async (path: string, isGzip: boolean): Promise<Table> =>
  namingDamage(() => openParquet(path, isGzip))

const openParquet = async (path: string, isGzip: boolean): Promise<Table> => {
  const file = await asyncBufferFromFile(path)
  const { schema, ...rest } = await parquetMetadataAsync(file)
  const elements = parquetSchema({ schema, ...rest })
    .children.filter(({ children }) => children.length === 0)
    .map(({ element }) => element)
  const names = elements.map(({ name }) => name)
  const texts = elements.map(cellTextOf)
  // The library makes a decimal a double. Without its annotation, the value is the unscaled integer.
  const metadata = {
    ...rest,
    schema: schema.map((each) => (isDecimal(each) ? withoutAnnotation(each) : each)),
  }
  for (const { num_rows } of metadata.row_groups)
    if (num_rows > maxGroupRows)
      throw new Error(`expected row groups of at most ${maxGroupRows} rows, got one of ${num_rows}`)
  const checked = new Set<ColumnMetaData>()
  /** The rows of a part of a row group. */
  const rowsOf = async (
    group: RowGroup,
    rowStart: number,
    rowEnd: number,
    columns: readonly number[],
  ): Promise<readonly Cells[]> => {
    const wanted = columns.map((column) => names[column] ?? '')
    for (const { meta_data: column } of group.columns) {
      if (column === undefined || checked.has(column) || !wanted.includes(column.path_in_schema[0] ?? ''))
        continue
      await checkColumn(file, column)
      checked.add(column)
    }
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
  const first = metadata.row_groups.find(({ num_rows }) => num_rows > 0)
  const rows = Math.min(sampleRows, Number(first?.num_rows ?? 0))
  return {
    format: `Parquet${isGzip ? ', gzip' : ''}`,
    names,
    sample: first === undefined ? [] : await rowsOf(first, 0, rows, [...names.keys()]),
    rows: async function* (columns) {
      let groupStart = 0
      for (const group of metadata.row_groups) {
        const groupEnd = groupStart + Number(group.num_rows)
        for (let start = groupStart; start < groupEnd; start += rowsAtOnce) {
          const end = Math.min(start + rowsAtOnce, groupEnd)
          const cells = await namingDamage(() => rowsOf(group, start, end, columns))
          yield cells.map((row, index) => ({ cells: row, line: start + index + 1 }))
        }
        groupStart = groupEnd
      }
    },
  }
}

/**
 * The library does not check what it reads: damage makes it call what is no function, use any number as a length, or name
 * `undefined` as what it does not support.
 */
const namingDamage = async <A>(read: () => Promise<A>): Promise<A> => {
  try {
    return await read()
  } catch (thrown) {
    const isNamed = thrown instanceof Error && thrown.name === 'Error'
    if (isNamed && !thrown.message.includes('undefined')) throw thrown
    throw new Error('its Parquet data are damaged', { cause: thrown })
  }
}

/** A page of one value, repeated, is a few bytes, and may have as many rows as its group. */
const maxGroupRows = 2 ** 24

/** Usual are 1 MiB. A few bytes may claim to be a page of any size. */
const maxPageBytes = 2 ** 26

/** A value that is repeated takes no bytes. Usual pages have at most as many; a file with one takes 600 MB to import. */
const maxPageValues = 2 ** 20

/** The longest header of a page that is read, in bytes. */
const maxHeaderBytes = 2 ** 16

/** Checks the numbers in the headers of the pages of a column, before memory is allocated by them. */
const checkColumn = async (file: AsyncBuffer, column: ColumnMetaData): Promise<void> => {
  let at = Number(column.dictionary_page_offset ?? column.data_page_offset)
  const end = at + Number(column.total_compressed_size)
  while (at < end) {
    const reader = { view: new DataView(await file.slice(at, Math.min(end, at + maxHeaderBytes))), offset: 0 }
    const header = parquetHeader(reader)
    const {
      data_page_header: first,
      data_page_header_v2: second,
      dictionary_page_header: dictionary,
    } = header
    const page = first ?? second ?? dictionary
    checkSize('bytes', header.uncompressed_page_size, maxPageBytes)
    checkSize('bytes', header.compressed_page_size, maxPageBytes)
    checkSize('values', page?.num_values ?? 0, maxPageValues)
    if (second !== undefined) {
      checkSize('bytes', second.definition_levels_byte_length, header.compressed_page_size)
      checkSize('bytes', second.repetition_levels_byte_length, header.compressed_page_size)
    }
    at += reader.offset + header.compressed_page_size
  }
}

const checkSize = (unit: 'bytes' | 'values', size: number, max: number): void => {
  // A damaged header may lack it.
  if (!Number.isInteger(size)) throw new TypeError('expected the size of a page')
  if (!(size >= 0 && size <= max))
    throw new Error(`expected pages of at most ${max} ${unit}, got one of ${size}`)
}

/** Allocates no more than the size that the page claims, and no larger page. */
const sized =
  (decompress: (data: Uint8Array, size: number, limit: { maxOutputLength: number }) => Uint8Array) =>
  (data: Uint8Array, size: number): Uint8Array => {
    checkSize('bytes', size, maxPageBytes)
    return decompress(data, size, { maxOutputLength: Math.max(1, size) })
  }

/** zstd is in Node 22.15 and later. */
const { zstdDecompressSync } = zlib as {
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Buffer
}

const compressors: Compressors = {
  SNAPPY: sized((data, size) => {
    const page = new Uint8Array(size)
    snappyUncompress(data, page)
    return page
  }),
  GZIP: sized((data, _, limit) => zlib.gunzipSync(data, limit)),
  BROTLI: sized((data, _, limit) => zlib.brotliDecompressSync(data, limit)),
  ...(zstdDecompressSync === undefined
    ? {}
    : { ZSTD: sized((data, _, limit) => zstdDecompressSync(data, limit)) }),
}

const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL'

const withoutAnnotation = (element: SchemaElement): SchemaElement => {
  const plain = { ...element }
  delete plain.converted_type
  delete plain.logical_type
  return plain
}

/** The text of a value of a column. */
const cellTextOf = (element: SchemaElement): ((value: unknown) => string | undefined) => {
  if (!isDecimal(element)) return (value) => plainText(value, element.type === 'BYTE_ARRAY')
  const scale = element.scale ?? (element.logical_type?.type === 'DECIMAL' ? element.logical_type.scale : 0)
  if (!(scale >= 0 && scale <= maxScale))
    throw new Error(`expected a scale from 0 to ${maxScale} of ${printable(element.name)}, got ${scale}`)
  return (value) => decimalText(unscaledOf(value), scale)
}

/** The digits of 256 bits. */
const maxScale = 78

/** A timestamp is a `Date`, in ms. */
const plainText = (value: unknown, isText: boolean): string | undefined => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === 'string') return value
  if (isText && value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}

/** Bytes are in two's complement, the highest first. */
const unscaledOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  if (!(value instanceof Uint8Array) || value.length === 0 || value.length > 32) return undefined
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`))
}

const decimalText = (unscaled: bigint | undefined, scale: number): string | undefined => {
  if (unscaled === undefined) return undefined
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  return `${unscaled < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`
}
