import type { FaultControl } from '../faults/fault-control.js'
import type { Quotes } from '../market/quotes.js'

/** What the service's endpoints share. */
export interface Service {
  /** Its name: the prefix of topics and headers. */
  readonly name: string
  /** The auth key's bytes. */
  readonly key: Uint8Array
  readonly board: Quotes
  readonly faults: FaultControl
  /** The service's own time, in ms since the Unix epoch. */
  readonly now: () => number
}
