import type { Address } from './topic.js'

/**
 * The quantity that can be bought, or sold, at the midpoint price. `JSON.stringify` accepts a side from the library: it
 * writes the quantity as a decimal string, which `BigInt` reads. It throws a `TypeError` for other sides, such as a
 * copy by `{ ...side }`. `encodeDepth` accepts every depth.
 */
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

/** Order-book depth of one base token. `JSON.stringify` writes its quantities as decimal strings. */
export interface Depth extends DepthSnapshot {
  /** The mint as the caller wrote it. */
  readonly mint: Address
  /** Time of receipt by this client, in ms since the Unix epoch. */
  readonly receivedAt: number
}
