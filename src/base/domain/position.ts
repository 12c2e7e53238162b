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

/** The position as it is now. */
export const copyPosition = ({ run, count }: PricePosition): PricePosition => ({ run, count })

/** A run id that no other run has, in this process or another one. It is part of each recorded row, so it is short. */
export const newRun = (): string => Math.random().toString(36).slice(2)
