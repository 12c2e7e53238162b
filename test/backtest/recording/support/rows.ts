import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { concatMap, concat, EMPTY, NEVER, of, timer, type Observable } from 'rxjs'
import type { LineWriter } from 'svc-streams/recording'
import { expect } from 'vitest'

/** A writer that stores the lines, and confirms them immediately. */
export interface MemoryWriter extends LineWriter {
  readonly lines: string[]
  readonly text: () => string
}

export const memoryWriter = (): MemoryWriter => {
  const lines: string[] = []
  return {
    lines,
    text: () => lines.join(''),
    write: (line, done) => {
      lines.push(line)
      done()
    },
  }
}

/** A value, and its delay after the previous one in ms. */
export interface Delayed<A> {
  readonly ms: number
  readonly value: A
}

/** Emits the values after their delays, and then completes if `completes` is true. */
export const emitScript$ = <A>(script: readonly Delayed<A>[], completes: boolean): Observable<A> =>
  concat(
    ...script.map(({ ms, value }) => timer(ms).pipe(concatMap(() => of(value)))),
    completes ? EMPTY : NEVER,
  )

export const rightOf = <E, A>(value: Either<E, A>): A => {
  if (isRight(value)) return value.right
  throw new Error(`expected a Right, got ${JSON.stringify(value.left)}`)
}

/** The result of a recorder. */
export const rowsOf = (rows: number) => right({ rows })

/** The result of a replay of this number of rows, whatever their times. */
export const playedRows = (rows: number) => right(expect.objectContaining({ rows }) as { rows: number })
