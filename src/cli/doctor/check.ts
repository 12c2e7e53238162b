import type { Either } from 'fp-ts/lib/Either.js'
import { TimeoutError, type Observable } from 'rxjs'
import { causeOf } from '../../base/errors/failure-cause.js'
import { printable } from '../../base/errors/text.js'
import type { Interface, Target } from './target.js'

export interface Check {
  readonly name: string
  /**
   * The interfaces that are checked. The check is skipped if all of them have failed. Left: the reason why there is
   * none.
   */
  readonly interfaces: (target: Target) => Either<string, readonly Interface[]>
  /** Emits one result within a few times the limit of the target. `usable`: the interfaces that have not failed. */
  readonly run$: (usable: readonly Interface[], target: Target) => Observable<CheckResult>
}

/** The result of one check of `svc-streams doctor`. No text contains a secret. */
export type CheckResult =
  | { readonly result: 'ok'; readonly measured: string }
  | { readonly result: 'skipped'; readonly reason: string }
  | {
      readonly result: 'failed'
      readonly problem: string
      readonly advice: string
      /** The interfaces that failed, which later checks skip. */
      readonly failed: readonly Interface[]
    }

export const passed = (measured: string): CheckResult => ({ result: 'ok', measured })

export const skipped = (reason: string): CheckResult => ({ result: 'skipped', reason })

export const failed = (problem: string, advice: string, interfaces: readonly Interface[]): CheckResult => ({
  result: 'failed',
  problem,
  advice,
  failed: interfaces,
})

/** The text of an exception of Node, or of a wait that reached its limit. */
export const thrownText = (error: unknown, limit: number): string =>
  error instanceof TimeoutError ? `no answer in ${limit} ms` : printable(causeOf(error).message)
