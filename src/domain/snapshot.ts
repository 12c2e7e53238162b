import type { ConnectionStatus } from './status.js'

/** A topic is asked for, or to be asked for (`waiting`), confirmed, silent for too long, or left a moment ago. */
export type TopicSnapshotState = 'waiting' | 'live' | 'stale' | 'lingering'

export interface TopicSnapshot {
  /** As it is sent. */
  readonly topic: string
  readonly subscribers: number
  readonly state: TopicSnapshotState
  /** How old its last price of this connection is, in ms; `null` where there is none. */
  readonly lastPriceAgeMs: number | null
}

export interface PollSnapshot {
  /** As it is sent. */
  readonly mint: string
  /** In ms, start to start. */
  readonly interval: number
  readonly subscribers: number
  /** `none` before the first answer, `ok`, or the error's `_tag`. */
  readonly lastResult: string
  /** How old the last result is, in ms; `null` where there is none. */
  readonly lastResultAgeMs: number | null
}

/** What a client is doing, as plain data for a log: no secret, no address, nothing that JSON cannot carry. */
export interface ClientSnapshot {
  readonly status: ConnectionStatus
  readonly topics: readonly TopicSnapshot[]
  readonly polls: readonly PollSnapshot[]
}
