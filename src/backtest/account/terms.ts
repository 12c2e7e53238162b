import type { Observable } from 'rxjs'
import { activeReplayClock } from '../../base/time/clock.js'
import type { SavedState } from './journal/journal.js'

// A replay gives terms to the accounts over its client, and recognises their events. Both use properties with a symbol that all
// copies of this library share, because a strategy may call `paper` itself, and with a copy of the client.

/** An account with terms writes no journal: that of its options belongs to the live run. */
export interface AccountTerms {
  /** False before the part begins: orders are not executed, and events are not emitted. Default: after the warm-up. */
  readonly isCounted?: (() => boolean) | undefined
  /** Data time from the first data on, in ms. Default: `warmUp` of the options. */
  readonly warmUp?: number | undefined
  /** True if the account closes its positions at the end, at the last prices with costs. Default: false. */
  readonly endsFlat?: boolean | undefined
  /** The state with which the account continues. Default: a new account. */
  readonly saved?: SavedState | undefined
  /** When a live run decided the order of this id, which the replay decides at `at`: live timers are late. Default: `at`. */
  readonly liveDecision?: ((id: string, at: number) => number) | undefined
}

const termsKey = Symbol.for('svc-streams account terms')
const runKey = Symbol.for('svc-streams account run')

export const withTerms = <C extends object>(client: C, terms: AccountTerms): C =>
  Object.assign(client, { [termsKey]: terms })

export const termsOf = (client: object): AccountTerms | undefined =>
  (client as { readonly [termsKey]?: AccountTerms })[termsKey]

/** A function that runs on the clock that is active now, also after a promise, which a replay continues in real time. */
export const onActiveClock = <A>(use: (value: A) => void): ((value: A) => void) => {
  const run = activeReplayClock()?.run
  return run === undefined ? use : (value) => run(() => use(value))
}

export const accountRun$ = <A>(event$: Observable<A>): Observable<A> =>
  Object.assign(event$, { [runKey]: true })

/** True for a stream that `paper` has returned, without a further operator. */
export const isAccountRun = (value$: unknown): boolean =>
  typeof value$ === 'object' && value$ !== null && runKey in value$
