/** Lower-cased header names with their values. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** Converts the signed headers to the text or the bytes that are signed, for a deployment that differs from the default. */
export type CanonicalHeaders = (headers: HeaderPairs) => Uint8Array | string

/** The default canonical form: each lower-cased name directly followed by its value, without separators. */
export const concatenateHeaders: CanonicalHeaders = (headers) =>
  headers.reduce((text, [name, value]) => text + name + value, '')

/**
 * Selects the headers that a signature covers: all whose name starts with `x-<service>-`, except the signature itself.
 * Sorts them by the bytes of their lower-cased names, which are ASCII.
 */
export const selectSignedHeaders = (
  headers: Readonly<Record<string, string>>,
  service: string,
): HeaderPairs => {
  const prefix = `x-${service.toLowerCase()}-`
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith(prefix) && name !== `${prefix}auth`)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
