import { causeOf } from '../errors/failure-cause.js'
import type { AnyError } from '../errors/model.js'

/** Fields whose values the library chooses from a fixed set. */
const fixedFields: readonly string[] = ['_tag', 'kind']

/** The deepest text of an error is a field of an element of `issues`. */
const maxDepth = 3

/**
 * The error with a function applied to each of its texts. A transport of the caller may attach other values: an
 * exception is reduced to its name, message and code, and deeper values are omitted.
 */
export const mapTexts = <E extends AnyError>(error: E, map: (text: string) => string): E =>
  mapValue(error, map, 0) as E

const mapValue = (value: unknown, map: (text: string) => string, depth: number): unknown => {
  if (typeof value === 'string') return map(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return undefined
  if (Array.isArray(value)) return value.map((item) => mapValue(item, map, depth + 1))
  const fields = Object.entries(value instanceof Error ? causeOf(value) : value)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      fixedFields.includes(name) ? (field as unknown) : mapValue(field, map, depth + 1),
    ]),
  )
}
