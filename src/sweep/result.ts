import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { Client } from '../client/client.js'
import type { SweepError } from '../errors/sweep-error.js'

/** The default export of a strategy's module. */
export type SweepStrategy<P, A> = (client: Client, parameter: P) => Observable<A>

/** What a strategy did with one parameter. */
export interface SweepRun<P, A> {
  /** The parameter, as given to `sweep`. */
  readonly parameter: P
  /** The values that the strategy emitted, in order. */
  readonly values: readonly A[]
  readonly summary: SweepSummary
}

export interface SweepSummary {
  /** Number of rows of the recording, without headers, that were played until the strategy's stream ended. */
  readonly rows: number
}

export type SweepResult<P, A> = Either<SweepError<P>, SweepRun<P, A>>
