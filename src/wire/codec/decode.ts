import { left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  ExactType,
  failure,
  identity,
  IntersectionType,
  success,
  Type,
  UnionType,
  type Decoder,
  type Errors,
} from 'io-ts/lib/index.js'
import { decodeError } from '../../base/errors/constructors.js'
import type { DecodeError, DecodeIssue } from '../../base/errors/model.js'
import { escapeUnsafe, copyOf, messageOf, oneLine, truncate } from '../../base/errors/text.js'

/** The source of a regular expression for a JSON number. */
export const jsonNumberPattern = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`

/** The parser's message for a string that is not JSON. */
export type JsonProblem = string

/** Parses numbers as 64-bit floats: exact enough for prices, not for quantities. Ignores a byte order mark. */
export const parseJson = (
  text: string,
  reviver?: (name: string, value: unknown) => unknown,
): Either<JsonProblem, unknown> => {
  try {
    return right(JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, reviver))
  } catch (thrown) {
    return left(messageOf(thrown))
  }
}

/** A codec that does not change values. `name`: the expected value in errors. */
export const guardCodec = <A>(name: string, is: (value: unknown) => value is A): Type<A> =>
  new Type<A>(name, is, (input, context) => (is(input) ? success(input) : failure(input, context)), identity)

/** Maximum number of issues in an error: a frame of 1 MiB may have half a million faults. */
export const maxIssues = 20

/** Converts the first `maxIssues` of io-ts's validation errors. `what` names the kind of message. */
export const toDecodeError = (what: string, input: string, errors: Errors): DecodeError =>
  decodeError(
    what,
    input,
    issuesOf(what, errors).map((issue): DecodeIssue => ({ ...issue, path: issue.path.join('.') })),
    errors.length > maxIssues,
  )

/** A `DecodeIssue` with the path as the names of its fields. */
interface Issue extends Omit<DecodeIssue, 'path'> {
  readonly path: readonly string[]
}

/** The first `maxIssues` of io-ts's validation errors. `what`: the expected value of an error without a type. */
export const issuesOf = (what: string, errors: Errors): readonly Issue[] =>
  errors
    .slice(0, maxIssues)
    .map(({ context, value }) => ({
      path: context
        .filter(({ key }, index) => key !== '' && !hasParts(context[index - 1]?.type))
        .map(({ key }) => key),
      expected: context.at(-1)?.type.name ?? what,
      actual: describeActual(value),
    }))
    // A value that is not an object is an issue of each part of an intersection.
    .filter((issue, index, issues) => !isSameIssue(issue, issues[index - 1]))

/** True if the key of the next entry is the number of a part of the type, not the name of a field. */
const hasParts = (type: Decoder<never, unknown> | undefined): boolean =>
  type instanceof ExactType
    ? hasParts(type.type as Type<unknown>)
    : type instanceof IntersectionType || type instanceof UnionType

const isSameIssue = (issue: Issue, other: Issue | undefined): boolean =>
  issue.path.join('.') === other?.path.join('.') && issue.expected === other.expected

/** The error for input that does not reach validation, such as text that is not JSON. */
export const malformedError = (
  what: string,
  input: string,
  expected: string,
  problem?: string,
): DecodeError =>
  decodeError(what, input, [
    { path: '', expected, actual: problem === undefined ? describeActual(input) : oneLine(problem) },
  ])

const describeActual = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return abbreviate(escapeUnsafe(JSON.stringify(abbreviate(value))))
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

const abbreviate = (text: string): string => (text.length <= 60 ? copyOf(text) : `${truncate(text, 60)}…`)
