import type { Topic } from './topic.js'

/** The execution price of one base token (section 2.2 of the service's documentation). */
export interface Price {
  /** The topic as the caller wrote it in the call that this price answers. */
  readonly topic: Topic
  /** USD for one base token; finite and above zero. */
  readonly price: number
  /** When it arrived here, in ms since the Unix epoch. */
  readonly receivedAt: number
  /**
   * The connection that it came over, counted from 1. A change between two prices of a topic means that updates
   * may have been missed in between. 0 for a price fetched over HTTP.
   */
  readonly epoch: number
}

/** A price is a finite number above zero; nothing else may pass for one. */
export const isPriceValue = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < Infinity
