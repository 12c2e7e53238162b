import type { FaultInjector } from '../faults/fault-injector.js'
import type { Listings } from '../market/listings.js'

/** Shared state of the service's endpoints. */
export interface ServiceContext {
  /** Name of the service: prefix of topics and of signed headers. */
  readonly name: string
  /** Auth key, decoded. */
  readonly key: Uint8Array
  /** True if browsers of any origin are answered. */
  readonly cors: boolean
  readonly listings: Listings
  readonly faults: FaultInjector
  /** Clock of the service, in ms since the Unix epoch; off by the `clockOffset` fault. */
  readonly now: () => number
}
