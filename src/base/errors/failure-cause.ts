import type { FailureCause, Tagged } from './model.js'
import { asText, oneLine } from './text.js'

/** Converts a thrown value to plain data. Copies name, message and code only: other properties may contain secrets. */
export const causeOf = (thrown: unknown): FailureCause => {
  try {
    return readCause(thrown)
  } catch {
    // Custom transports, writers and sources may throw objects whose properties throw.
    return { name: 'Error', message: 'the error cannot be read', code: undefined }
  }
}

const readCause = (thrown: unknown): FailureCause => {
  const error: Error & { readonly code?: unknown } =
    thrown instanceof Error ? thrown : new Error(asText(thrown))
  const code = typeof error.code === 'string' ? error.code : undefined
  const name = asText(error.name)
  const message = asText(messageOf(error)).replace(openSslText, 'TLS: $1')
  return { name, message: oneLine(message || (code ?? name)), code }
}

/** As in `80EC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/record.c:350:`. */
const openSslText = /(?:\b[\dA-F]+:)?\berror:[\dA-F]+:SSL routines:[^:]*:([^:]+):\S*/g

/** Node's `AggregateError` for a host with several addresses has no message; those of its errors describe the failure. */
const messageOf = (error: Error): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map((each: unknown) => (each instanceof Error ? each.message : '')).join('; ')
    : error.message

/** True for an error of the library or of the same shape. */
export const isTagged = (value: unknown): value is Tagged<string> =>
  typeof value === 'object' &&
  value !== null &&
  '_tag' in value &&
  typeof value._tag === 'string' &&
  'message' in value &&
  typeof value.message === 'string'
