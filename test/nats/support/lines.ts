import type { Address, Topic } from 'svc-streams'

// What the programs of these tests read, and what they print: one JSON text a line.

/** An event of `price$` in a consumer. Times are in ms since the epoch, by the clock that all processes of a machine share. */
export interface PriceLine {
  readonly type: 'price'
  readonly at: number
  readonly topic: Topic
  /** `Right`, the tag of the error, or `completed`. */
  readonly tag: string
  /** Of a `Right`. */
  readonly price?: number
  readonly epoch?: number
  readonly receivedAt?: number
  /** The message of an error. */
  readonly message?: string
}

/** The event loop did not run in between: the process was stopped, or the machine was busy. */
export interface PauseLine {
  readonly type: 'pause'
  readonly from: number
  readonly to: number
}

export type Line =
  | PriceLine
  | PauseLine
  | { readonly type: 'started' }
  | { readonly type: 'inspected'; readonly snapshot: unknown }
  | { readonly type: 'depth'; readonly tag: string; readonly message: string }
  | { readonly type: 'clock changed' }
  | { readonly type: 'closed' }

export type Command =
  | { readonly subscribe: Topic }
  | { readonly unsubscribe: Topic }
  | { readonly depth: Address }
  /** The time for which the handler of each event blocks the event loop, in ms. */
  | { readonly slowness: number }
  /** Blocks the event loop once, for this time, in ms. */
  /** `late`: a topic that the program subscribes to again in the same tick, after it has blocked its event loop. */
  | { readonly block: number; readonly late?: string }
  /** A jump of the time of day, in ms. */
  | { readonly jump: number }
  | 'suspend clock with process'
  | 'inspect'
  | 'close'
