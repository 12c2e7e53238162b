import { EMPTY, filter, merge, mergeMap, repeat, take, type Observable } from 'rxjs'
import type { Clock } from '../time/clock.js'
import { deadline$, delay$ } from '../time/deadline.js'

/** What the detection of a lost connection needs. Times are in ms. */
export interface LivenessConfig {
  readonly clock: Clock
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly hasPings: boolean
  /** Counts the frames and pongs of the socket. */
  readonly activityCount: () => number
  /** Sends a ping, or another frame that the service answers. Returns false if there is none. */
  readonly probe: () => boolean
  /** True if silence after a probe shows that the connection is lost. */
  readonly isConclusive: () => boolean
  /** Emits when the connection must be probed immediately. */
  readonly wake$: Observable<void>
}

/** The number of times within `pingInterval` at which a socket without pings is checked for silence. */
const samples = 8

/**
 * Probes the service: by a ping every `pingInterval`, or, without pings, after `pingInterval` without a frame. Emits once,
 * when no frame of any kind arrives within `pongTimeout` of a probe that is conclusive.
 */
export const lost$ = (config: LivenessConfig): Observable<unknown> => {
  const { clock, pingInterval, hasPings, wake$, isConclusive } = config
  const due$ = hasPings ? delay$(clock, pingInterval).pipe(repeat()) : silence$(config)
  return merge(due$, wake$).pipe(
    mergeMap(() => silenceAfterProbe$(config)),
    filter(isConclusive),
    take(1),
  )
}

const silenceAfterProbe$ = ({ clock, pongTimeout, activityCount, probe }: LivenessConfig) => {
  const before = activityCount()
  return probe()
    ? deadline$(clock, pongTimeout, activityCount).pipe(filter(() => activityCount() === before))
    : EMPTY
}

/** Emits after each `pingInterval` without a frame. */
const silence$ = ({ clock, pingInterval, activityCount }: LivenessConfig): Observable<unknown> => {
  let count = activityCount()
  let since = clock.elapsed()
  const isSilent = (): boolean => {
    const now = clock.elapsed()
    const isActive = activityCount() !== count
    const isElapsed = !isActive && now - since >= pingInterval
    if (isActive || isElapsed) since = now
    count = activityCount()
    return isElapsed
  }
  return delay$(clock, pingInterval / samples).pipe(repeat(), filter(isSilent))
}
