import type { Tagged } from './model.js'

/** True for an error of the library or of the same shape. */
export const isTagged = (value: unknown): value is Tagged<string> =>
  typeof value === 'object' &&
  value !== null &&
  '_tag' in value &&
  typeof value._tag === 'string' &&
  'message' in value &&
  typeof value.message === 'string'
