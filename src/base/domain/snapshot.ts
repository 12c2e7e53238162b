import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import type { ConnectionStatus } from './status.js'

/**
 * `waiting`: not confirmed yet. `live`: confirmed. `stale`: no price for `staleAfter`. `lingering`: without subscribers,
 * until `linger` has passed.
 */
export type TopicSnapshotState = 'waiting' | 'live' | 'stale' | 'lingering'

export interface TopicSnapshot {
  /** The topic as it is sent. */
  readonly topic: string
  readonly subscribers: number
  readonly state: TopicSnapshotState
  /** Age of the last price on this connection, in ms; `null` before the first. */
  readonly lastPriceAgeMs: number | null
}

export interface PollSnapshot {
  /** The mint as it is sent. */
  readonly mint: string
  /** Time from the start of one request to the start of the next, in ms. */
  readonly interval: number
  /** 0 while the poll lingers: until `linger` ms after its last subscriber has left. */
  readonly subscribers: number
  /** `none` before the first response, then `ok` or the error's `_tag`. */
  readonly lastResult: string
  /** Age of the last result, in ms; `null` before the first. */
  readonly lastResultAgeMs: number | null
}

/** The state of a client as plain JSON data for a log, without secrets and URLs. */
export interface ClientSnapshot {
  readonly status: ConnectionStatus
  readonly topics: readonly TopicSnapshot[]
  readonly polls: readonly PollSnapshot[]
}

/** An event of any stream of the client. */
export type StreamEvent = Either<{ readonly _tag: string }, unknown>

/** The state of a topic after an event of its stream. `before`: the state until then, first `waiting`. */
export const stateAfter = (event: StreamEvent, before: TopicSnapshotState): TopicSnapshotState => {
  if (isRight(event)) return 'live'
  if (event.left._tag === 'Stale') return 'stale'
  return event.left._tag === 'DecodeError' ? before : 'waiting'
}

/** `PollSnapshot.lastResult` after an event. */
export const resultOf = (event: StreamEvent | undefined): string => {
  if (event === undefined) return 'none'
  return isLeft(event) ? event.left._tag : 'ok'
}
