import { flag, integer, milliseconds, oneOf, type Check, type Checks } from '../check.js'

/**
 * How the simulator misbehaves. What is absent behaves well. Faults concern everything from the moment they are
 * injected, connections that are open already included.
 */
export interface Faults extends SocketFaults, HttpFaults {
  /**
   * Accepts everything and answers nothing, like a process that hangs: connections are made, but not read from,
   * pings included; requests get no answer; no price is published. When it ends, what came meanwhile is answered.
   */
  readonly stall?: boolean
}

/** The price reporter's WebSocket. */
export interface SocketFaults {
  /** Ends all open connections every so often. */
  readonly drop?: Drop
  /** Answers the upgrade with this HTTP status instead: 300 to 599. */
  readonly refuseUpgrades?: number
  /** Before each price update, one of these, in turn. */
  readonly garbage?: readonly Garbage[]
  /** Answers each subscribe with an error text, as if no token were supported. */
  readonly rejectSubscribes?: boolean
  /** Error texts of the price reporter, over HTTP too, name no addresses. */
  readonly namelessErrors?: boolean
  /**
   * `none`: neither subscribe nor unsubscribe is confirmed; prices come all the same.
   * `new-only`: a confirmation lists the new topic alone, and an unsubscribe is not confirmed.
   */
  readonly confirmations?: 'none' | 'new-only'
  /** Topics come back lower-cased and with a quote address behind: `svc-0xabc-0xdef`. */
  readonly echoQuote?: boolean
}

export interface Drop {
  /** In ms. */
  readonly every: number
  /** The close code: 1000 to 1014 but 1004 to 1006, or 3000 to 4999. Default: no close frame at all. */
  readonly code?: number
}

/**
 * `malformed`: a price update cut short, no JSON. `no-message`: JSON that is none of the service's messages.
 * `wrong-price`: an update of the topic whose price is, in turn, a text, zero, negative, null, infinite, missing.
 * `unknown-topic`: a price of another service's topic. `binary`: a binary frame. `oversized`: 2 MiB of text.
 */
export type Garbage = (typeof garbageKinds)[number]

/** Both HTTP servers: the relayer API's and the price reporter's. */
export interface HttpFaults {
  /** Answers every request with this status: 200 to 599. */
  readonly httpStatus?: number
  /** Sends this `Retry-After` along with `httpStatus`: seconds, or a date. */
  readonly retryAfter?: number | string
  /** Redirects every request to this address, with status 302 unless `httpStatus` is another. */
  readonly redirect?: string
  /** Holds each answer back, in ms. */
  readonly httpDelay?: number
  /** How far the service's clock is ahead, in ms; negative: behind. It dates answers and decides what has expired. */
  readonly clockOffset?: number
  /**
   * What becomes of successful answers. `truncated`: a depth loses its second half, and is no JSON.
   * `cut-off`: the connection ends in the middle of the body. `oversized`: 2 MiB of blanks follow.
   * `html`: a page of a gateway, with status 200.
   */
  readonly body?: 'truncated' | 'cut-off' | 'oversized' | 'html'
  /** `total_quantity` is a decimal string, `"9336472979533427000"`. */
  readonly quantitiesAsText?: boolean
}

export const garbageKinds = [
  'malformed',
  'no-message',
  'wrong-price',
  'unknown-topic',
  'binary',
  'oversized',
] as const

/** The codes that a close frame may carry. */
export const closeCode: Check = {
  expected: 'a close code, 1000 to 1014 but 1004 to 1006, or 3000 to 4999',
  holds: (value) =>
    Number.isInteger(value) &&
    (integer(1000, 1003).holds(value) ||
      integer(1007, 1014).holds(value) ||
      integer(3000, 4999).holds(value)),
}

export const faultChecks: Checks<Faults> = {
  stall: flag,
  drop: {
    expected: `{ every, code } with every ${milliseconds.expected}, and code, if any, ${closeCode.expected}`,
    holds: (value) => isDrop(value),
  },
  refuseUpgrades: integer(300, 599, 'an HTTP status'),
  garbage: {
    expected: `an array of ${oneOf(...garbageKinds).expected}`,
    holds: (value) => Array.isArray(value) && value.every(oneOf(...garbageKinds).holds),
  },
  rejectSubscribes: flag,
  namelessErrors: flag,
  confirmations: oneOf('none', 'new-only'),
  echoQuote: flag,
  httpStatus: integer(200, 599, 'an HTTP status'),
  retryAfter: {
    expected: 'seconds from 0, or a text of one line',
    holds: (value) =>
      typeof value === 'string' ? /^[ -~]+$/.test(value) : Number.isFinite(value) && (value as number) >= 0,
  },
  redirect: { expected: 'a URL', holds: (value) => typeof value === 'string' && URL.canParse(value) },
  httpDelay: milliseconds,
  clockOffset: integer(-1e14, 1e14, 'a whole number of ms'),
  body: oneOf('truncated', 'cut-off', 'oversized', 'html'),
  quantitiesAsText: flag,
}

const isDrop = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { every, code, ...others } = value as Partial<Record<keyof Drop, unknown>>
  const isCode = code === undefined || closeCode.holds(code)
  return milliseconds.holds(every) && isCode && Object.keys(others).length === 0
}
