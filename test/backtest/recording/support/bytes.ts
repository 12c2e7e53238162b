import { gzipSync } from 'node:zlib'

/** The text as gzip data with one member for each part of the text between these offsets. */
export const gzipMembers = (text: string, offsets: readonly number[]): Uint8Array => {
  const bytes = Buffer.from(text)
  const bounds = [0, ...offsets.map((offset) => offset % bytes.length).sort((a, b) => a - b), bytes.length]
  const members = bounds.slice(1).map((to, index) => gzipSync(bytes.subarray(bounds[index], to)))
  return Buffer.concat(members)
}

/** The bytes in chunks of these lengths, and the rest. */
export const chunked = (bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] => {
  const chunks: Uint8Array[] = []
  let from = 0
  for (const length of lengths) {
    chunks.push(bytes.subarray(from, from + length))
    from += length
  }
  return [...chunks, bytes.subarray(from)]
}
