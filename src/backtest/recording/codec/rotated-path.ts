/** A path that ends in this is compressed, unless the caller decides otherwise. */
export const gzipExtension = '.gz'

/** The extension of a recording, and that of a compressed file. */
const extensions = /(\.(?!gz$)[^./\\]+)?(\.gz)?$/

/**
 * The path of the file that starts at a time: `market.ndjson` becomes `market.2026-11-22T10-00-00Z.ndjson`, in UTC, so
 * that the order of the names is the order of the files. A number follows the time if the name is taken.
 */
export const rotatedPath = (out: string, at: number, isGzip: boolean, number: number): string => {
  const [all = '', extension = '', gzip = isGzip ? gzipExtension : ''] = extensions.exec(out) ?? []
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const taken = number === 1 ? '' : `_${number}`
  return `${out.slice(0, out.length - all.length)}.${time}${taken}${extension}${gzip}`
}

const rotated = /^(.*)\.(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z(?:_(\d+))?(\.[^/\\]*)$/s

/** The parts of the path of a rotated file; `undefined` for any other path. */
export const parseRotatedPath = (path: string) => {
  const [, start = '', hour, minute, second, number = '1', end = ''] = rotated.exec(path) ?? []
  const at = Date.parse(`${hour}:${minute}:${second}Z`)
  if (Number.isNaN(at)) return undefined
  return {
    /** The path before the time, and the extensions after it. */
    start,
    end,
    /** Not after its first row, in ms since the Unix epoch. */
    at,
    /** Of the files with this time, from 1. */
    number: Number(number),
  }
}
