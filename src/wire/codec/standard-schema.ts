import { isRight } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts/lib/index.js'
import { issuesOf } from './decode.js'

/**
 * A schema of the [Standard Schema](https://standardschema.dev) specification, version 1, which tRPC, forms and routers
 * accept. `Input`: the form on the wire. `Output`: the decoded value.
 */
export interface StandardSchema<Input, Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'svc-streams'
    readonly validate: (value: unknown) => StandardResult<Output>
    /** For the type checker alone: it does not exist at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** A decoded value, or why there is none. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  /** What was expected and what was found, in one line. */
  readonly message: string
  /** The field, as in `['buy', 'total_quantity']`; empty for the whole value. */
  readonly path: readonly string[]
}

export const standardCodec = <C extends t.Mixed>(
  codec: C,
): C & StandardSchema<t.OutputOf<C>, t.TypeOf<C>> => {
  const validate = (value: unknown): StandardResult<t.TypeOf<C>> => {
    const decoded = codec.decode(value)
    if (isRight(decoded)) return { value: decoded.right as t.TypeOf<C> }
    const issues = issuesOf(codec.name, decoded.left)
    return {
      issues: issues.map(({ path, expected, actual }) => ({
        message: `expected ${expected}, got ${actual}`,
        path,
      })),
    }
  }
  const standard = { '~standard': { version: 1, vendor: 'svc-streams', validate } } as const
  return Object.assign(codec, standard)
}
