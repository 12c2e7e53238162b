import { inspect } from 'node:util'
import { runInThisContext } from 'node:vm'
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { renderError, type AnyError } from 'svc-streams'
import ts from 'typescript'
import { exportsByEntryPoint } from './entry-points.js'
import * as prelude from './prelude.js'

const inScope = Object.fromEntries(
  [prelude, ...exportsByEntryPoint.values()].flatMap((names) => Object.entries(names)),
)

/** Evaluates a part of an example with the exports of every entry point in scope. */
export const valueOf = (code: string): unknown => {
  // The inner block allows an example to redeclare names that are in scope.
  const program = `(({ ${Object.keys(inScope).join(', ')} }) => {{\n${code}\n}})`
  const { outputText } = ts.transpileModule(program, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
  return (runInThisContext(outputText) as (scope: object) => unknown)(inScope)
}

/** Returns `text` if it matches the value; `…` matches any part, and a `Left` may show its tag alone. */
export const asStated = (value: unknown, text: string): string => {
  if (isEither(value) && isLeft(value) && text === `Left(${value.left._tag})`) return text
  const full = inFull(value)
  const pattern = text.split('…').map(escaped).join('.*')
  return new RegExp(`^${pattern}$`).test(full) ? text : full
}

const inFull = (value: unknown): string => {
  if (!isEither(value)) return onOneLine(value)
  return isRight(value) ? `Right(${onOneLine(value.right)})` : `Left(${renderError(value.left)})`
}

const onOneLine = (value: unknown): string => inspect(value, { breakLength: Infinity })

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const isEither = (value: unknown): value is Either<AnyError, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  '_tag' in value &&
  (value._tag === 'Left' || value._tag === 'Right')
