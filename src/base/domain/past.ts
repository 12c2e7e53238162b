import type { Topic } from './topic.js'
import type { Observable } from 'rxjs'

/** A past price. It has no `receivedAt` and no `epoch`, so a function that takes a current price does not accept it. */
export interface PastPrice {
  readonly _tag: 'PastPrice'
  /** The topic as the caller wrote it. */
  readonly topic: Topic
  /** USD for one base token. */
  readonly price: number
  /** Receipt by the recorder, in ms since the Unix epoch, by its clock. Never earlier than the previous event. */
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

/** The past has ended: all later events are live. */
export interface CaughtUp {
  readonly _tag: 'CaughtUp'
}

/**
 * The position of a price among the prices of its topic. The client, the recorder and the gateway that passes a price on
 * give it the same position, so that it identifies the price without a clock.
 */
export interface PricePosition {
  /** An opaque id of the prices that were received without an interruption: ASCII letters, digits, `-` and `_`. */
  readonly run: string
  /** The number of prices of the run, from its start to this price. */
  readonly count: number
}

export const copyPosition = ({ run, count }: PricePosition): PricePosition => ({ run, count })

/** A run id that no other run has, in this process or another one. It is part of each recorded row, so it is short. */
export const newRun = (): string => Math.random().toString(36).slice(2)

/** A position in a message or in a row. Any other value is ignored: later versions may have another form. */
export const readPosition = (value: unknown): PricePosition | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const { run, count } = value as Readonly<Record<string, unknown>>
  return typeof run === 'string' && /^[\w-]{1,64}$/.test(run) && isCount(count) ? { run, count } : undefined
}

/** Far below the largest safe integer, because the prices that follow are counted from it. */
const maxCount = 2 ** 52

export const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount

/** The text of the field `position` at the end of a JSON object. A run has no characters that are escaped. */
export const positionField = ({ run, count }: PricePosition): string =>
  `,"position":{"run":"${run}","count":${count}}`

// For `withPast` and stores. Not properties of the streams, because the stream of an operator must not have those of its source.

export interface LiveSource<T> {
  /** Calls `onConfirmed` as soon as the topic is confirmed: from then on, the stream has each price of the service. */
  readonly open$: (onConfirmed?: () => void) => Observable<T>
  /** The position of the last price, also while it is delivered. The object changes with the next price. */
  readonly position: () => PricePosition | undefined
  /** The age up to which a price is current, in ms. Default: 5000. */
  readonly maxLag?: number | undefined
  /** False if the last price may be too old, although no `Left` has been emitted yet. Default: it is never too old. */
  readonly isCurrent?: (() => boolean) | undefined
}

export const liveSources = new WeakMap<Observable<unknown>, LiveSource<unknown>>()

/** The source of a stream. For a stream of which the confirmation is unknown, `onConfirmed` is called at once. */
export const liveSourceOf = <T>(stream$: Observable<T>): LiveSource<T> =>
  (liveSources.get(stream$) as LiveSource<T> | undefined) ?? {
    open$: (onConfirmed) => {
      onConfirmed?.()
      return stream$
    },
    position: () => undefined,
  }

/** Called before each event of a past, with the position of the price. */
export type OnPosition = (position: PricePosition | undefined) => void

export interface PastSource<T> {
  /** Returns the past from a time on, in ms since the Unix epoch. Without `from`, it returns the whole past. */
  readonly read$: (from: number | undefined, onPosition: OnPosition) => Observable<T>
  /** True if the past ends when it is subscribed to. */
  readonly isEndless: boolean
}

export const pastSources = new WeakMap<Observable<unknown>, PastSource<unknown>>()

/** The source of a past. Any other stream has no positions, and its end is given. */
export const pastSourceOf = <T>(past$: Observable<T>): PastSource<T> =>
  (pastSources.get(past$) as PastSource<T> | undefined) ?? { read$: () => past$, isEndless: false }
