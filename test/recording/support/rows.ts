import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { concatMap, concat, EMPTY, NEVER, of, timer, type Observable } from 'rxjs'
import type { LineWriter } from 'svc-streams/recording'

/** A writable that keeps what is written, and takes it at once. */
export interface Tape extends LineWriter {
  readonly lines: string[]
  readonly text: () => string
}

export const tape = (): Tape => {
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

/** Something that happens so many ms after what happened before it. */
export interface After<A> {
  readonly ms: number
  readonly value: A
}

/** One after the other, and then the end or nothing. */
export const played$ = <A>(script: readonly After<A>[], ends: boolean): Observable<A> =>
  concat(...script.map(({ ms, value }) => timer(ms).pipe(concatMap(() => of(value)))), ends ? EMPTY : NEVER)

export const rightOf = <E, A>(value: Either<E, A>): A => {
  if (isRight(value)) return value.right
  throw new Error(`expected a Right, got ${JSON.stringify(value.left)}`)
}

export const rowsOf = (rows: number) => right({ rows })
