import type { Address } from './address.js'

/** The quantity that can be bought, or sold, at the midpoint price. */
export interface DepthSide {
  /** In base-token units, exact at any size. */
  readonly totalQuantity: bigint
  /** In USD. */
  readonly totalQuantityUsd: number
}

/** The content of a depth response (section 2.1 of the service's documentation). */
export interface DepthSnapshot {
  /** Midpoint price in USD, finite and above zero. */
  readonly price: number
  /** The service's time of the snapshot, in ms since the Unix epoch. */
  readonly timestamp: number
  readonly buy: DepthSide
  readonly sell: DepthSide
}

/** Order-book depth of one base token. */
export interface Depth extends DepthSnapshot {
  /** The mint as the caller wrote it. */
  readonly mint: Address
  /** Time of receipt by this client, in ms since the Unix epoch. */
  readonly receivedAt: number
}
