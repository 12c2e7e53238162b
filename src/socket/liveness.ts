import { EMPTY, filter, merge, mergeMap, repeat, take, type Observable } from 'rxjs'
import type { Clock } from '../time/clock.js'
import { deadline$, delay$ } from '../time/deadline.js'

/** What the detection of a lost connection needs. Times are in ms. */
export interface LivenessConfig {
  readonly clock: Clock
  readonly pingInterval: number
  readonly pongTimeout: number
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

/** Sends pings. Emits once, when no frame of any kind arrives within `pongTimeout` of a ping. */
export const lostByPings$ = (config: LivenessConfig): Observable<unknown> =>
  merge(delay$(config.clock, config.pingInterval).pipe(repeat()), config.wake$).pipe(
    mergeMap(() => silenceAfterProbe$(config)),
    take(1),
  )

/**
 * Probes after `pingInterval` without a frame. Emits once, when no frame of any kind arrives within `pongTimeout` of a
 * probe that is conclusive.
 */
export const lostByProbes$ = (config: LivenessConfig): Observable<unknown> =>
  merge(silence$(config), config.wake$).pipe(
    mergeMap(() => silenceAfterProbe$(config)),
    filter(config.isConclusive),
    take(1),
  )

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
