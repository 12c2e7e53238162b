import { BehaviorSubject, filter, firstValueFrom } from 'rxjs'
import { integer, milliseconds } from '../../base/option-kinds/number-option.js'
import {
  checkedOption,
  flag,
  nestedOption,
  oneOf,
  required,
  type Check,
  type Checks,
} from '../../base/option-kinds/option.js'
import { parseFields } from '../simulator-error.js'

// To add a fault: declare and check it here, and implement it in service/http-server.ts (HTTP responses) or
// service/socket-server.ts (frames and connections).

/** Faults to inject. A fault that is absent is off. A change also affects connections that are already open. */
export interface Faults extends SocketFaults, HttpFaults {
  /**
   * The service hangs: it accepts connections and requests, but reads no frames (pings included), sends no responses
   * and publishes no prices. When the fault ends, the service responds to everything that it received during the fault.
   */
  readonly stall?: boolean
}

/** Faults of the price reporter's WebSocket. */
export interface SocketFaults {
  /** Closes all open connections periodically. */
  readonly drop?: Drop
  /** HTTP status that refuses each upgrade: 300 to 599. */
  readonly refuseUpgrades?: number
  /** Kinds of garbage, used in turn: the service sends one garbage frame before each price update. */
  readonly garbage?: readonly Garbage[]
  /** Rejects each subscribe with the error text for an unsupported token. */
  readonly rejectSubscribes?: boolean
  /** The price reporter's error texts contain no addresses. Applies to HTTP too. */
  readonly namelessErrors?: boolean
  /**
   * `none`: no message is confirmed; prices are sent nevertheless.
   * `new-only`: the confirmation of a subscribe lists only the new topic; an unsubscribe is not confirmed.
   * Default: each message is confirmed with all subscribed topics.
   */
  readonly confirmations?: ConfirmationFault
  /** The service sends topics in lower case, with the address of the quote token appended: `svc-0xabc-0xdef`. */
  readonly echoQuote?: boolean
}

export interface Drop {
  /** Period, in ms. */
  readonly every: number
  /** Close code: 1000 to 1014 except 1004 to 1006, or 3000 to 4999. Default: no close frame. */
  readonly code?: number
}

/**
 * `malformed`: a truncated price update, which is not valid JSON. `no-message`: JSON that is not a message of the
 * service. `wrong-price`: a price update whose price is, in turn, a string, zero, negative, null, infinite, missing.
 * `unknown-topic`: a price update of another service's topic. `binary`: a binary frame. `oversized`: 2 MiB of text.
 */
export type Garbage = (typeof garbageKinds)[number]

export const garbageKinds = [
  'malformed',
  'no-message',
  'wrong-price',
  'unknown-topic',
  'binary',
  'oversized',
] as const

export type ConfirmationFault = (typeof confirmationFaults)[number]

export const confirmationFaults = ['none', 'new-only'] as const

/** Faults of HTTP responses, of the relayer API and of the price reporter. */
export interface HttpFaults {
  /** Status of every response: 200 to 599. */
  readonly httpStatus?: number
  /** `Retry-After` header of responses with `httpStatus`: seconds, or a date. */
  readonly retryAfter?: number | string
  /** URL that every request is redirected to, with status 302 unless `httpStatus` is given. */
  readonly redirect?: string
  /** Delay of each response, in ms. */
  readonly httpDelay?: number
  /**
   * Error of the service's clock, in ms: positive if it is ahead. Affects the `Date` header, the timestamps of depths,
   * and the expiration of signatures.
   */
  readonly clockOffset?: number
  /**
   * Fault of the body of 200 responses. `truncated`: a depth lacks its second half and is not valid JSON.
   * `cut-off`: the connection closes in the middle of the body. `oversized`: 2 MiB of spaces are appended.
   * `html`: an HTML error page with status 200.
   */
  readonly body?: BodyFault
  /** `total_quantity` is a decimal string, such as `"9336472979533427000"`. */
  readonly quantitiesAsText?: boolean
}

export type BodyFault = (typeof bodyFaults)[number]

export const bodyFaults = ['truncated', 'cut-off', 'oversized', 'html'] as const

/** Codes that a WebSocket close frame may carry. */
export const closeCode: Check = {
  expected: 'a close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999',
  holds: (value) =>
    [integer(1000, 1003), integer(1007, 1014), integer(3000, 4999)].some(({ holds }) => holds(value)),
}

export const faultChecks: Checks<Faults> = {
  stall: flag,
  drop: nestedOption({
    every: required(checkedOption<number>('integer', milliseconds)),
    code: checkedOption<number>('integer', closeCode),
  }),
  refuseUpgrades: integer(300, 599, 'an HTTP status'),
  garbage: {
    expected: `an array of ${oneOf(...garbageKinds).expected}`,
    holds: (value) => Array.isArray(value) && value.every(oneOf(...garbageKinds).holds),
  },
  rejectSubscribes: flag,
  namelessErrors: flag,
  confirmations: oneOf(...confirmationFaults),
  echoQuote: flag,
  httpStatus: integer(200, 599, 'an HTTP status'),
  retryAfter: {
    expected: 'a number of seconds of at least 0, or a string of one line',
    holds: (value) =>
      typeof value === 'string' ? /^[ -~]+$/.test(value) : Number.isFinite(value) && (value as number) >= 0,
  },
  redirect: { expected: 'a URL', holds: (value) => typeof value === 'string' && URL.canParse(value) },
  httpDelay: milliseconds,
  clockOffset: integer(-1e14, 1e14, 'a whole number of ms'),
  body: oneOf(...bodyFaults),
  quantitiesAsText: flag,
}

export class FaultInjector {
  private readonly faults$: BehaviorSubject<Faults>

  constructor(initial: Faults) {
    this.faults$ = new BehaviorSubject(checked(initial))
  }

  get current(): Faults {
    return this.faults$.value
  }

  /** Replaces all faults. Throws a `SimulatorError`, and changes nothing, if one is invalid. */
  inject(faults: Faults): void {
    this.faults$.next(checked(faults))
  }

  /** Calls the listener with the current faults, then after every change. */
  onChange(listener: (faults: Faults) => void): void {
    this.faults$.subscribe(listener)
  }

  /** Resolves as soon as the `stall` fault is off. */
  async whenNotStalled(): Promise<void> {
    // The fault may be on again when the promise resolves.
    while (this.current.stall === true)
      await firstValueFrom(this.faults$.pipe(filter(({ stall }) => stall !== true)))
  }
}

const checked = (faults: Faults): Faults => {
  parseFields(faultChecks, faults, 'fault')
  return { ...faults }
}
