import type { PricePosition } from './position.js'
import type { Topic } from './topic.js'

/** A past price. It has no `receivedAt` and no `epoch`, so a function that takes a current price does not accept it. */
export interface PastPrice {
  readonly _tag: 'PastPrice'
  /** The topic as the caller wrote it. */
  readonly topic: Topic
  /** USD for one base token. */
  readonly price: number
  /**
   * When the recorder received the price, in ms since the Unix epoch, by the recorder's clock. Never earlier than the
   * previous event.
   */
  readonly at: number
}

/** Why a history has no prices for a time. */
export type GapCause =
  /** The recorder had no connection, or no price since it connected. */
  | 'disconnected'
  /** The recorder was connected, but had no current price of the topic. */
  | 'stale'
  /** No recorder recorded the topic, or a price could not be recorded. */
  | 'unrecorded'

/** A time in which prices may be missing. Outside of gaps, no price means that the service sent none. */
export interface Gap {
  readonly _tag: 'Gap'
  /** The topic as the caller wrote it. */
  readonly topic: Topic
  /** Inclusive, in ms since the Unix epoch. */
  readonly from: number
  /** Exclusive, in ms since the Unix epoch. It is above `from`. */
  readonly to: number
  readonly cause: GapCause
}

export type PastEvent = PastPrice | Gap

/** Receives the events of a past. `position`: of a price, if the recorder has stored it. */
export type EmitPast = (event: PastEvent, position?: PricePosition) => void

/** The past has ended: all later events are live. */
export interface CaughtUp {
  readonly _tag: 'CaughtUp'
}
