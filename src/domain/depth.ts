import type { Address } from './address.js'

/** What can be bought, or sold, at the midpoint price. */
export interface DepthSide {
  /** In base-token units; exact at any size. */
  readonly totalQuantity: bigint
  /** In USD. */
  readonly totalQuantityUsd: number
}

/** What a depth response says (section 2.1 of the service's documentation). */
export interface DepthSnapshot {
  /** Midpoint price in USD; finite and above zero. */
  readonly price: number
  /** The service's own time of the snapshot, in ms since the Unix epoch. */
  readonly timestamp: number
  readonly buy: DepthSide
  readonly sell: DepthSide
}

/** Order-book depth of one base token. */
export interface Depth extends DepthSnapshot {
  /** The mint as the caller wrote it in the call that this depth answers. */
  readonly mint: Address
  /** When it arrived here, in ms since the Unix epoch. */
  readonly receivedAt: number
}
