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

/** A position in a message or in a row. Any other value is ignored: later versions may have another form. */
export const readPosition = (value: unknown): PricePosition | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const { run, count } = value as Readonly<Record<string, unknown>>
  return isRun(run) && isCount(count) ? { run, count } : undefined
}

export const isRun = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value)

/** Far below the largest safe integer, because the prices that follow are counted from it. */
const maxCount = 2 ** 52

export const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount

/** The text of the field `position` at the end of a JSON object. A run has no characters that are escaped. */
export const positionField = ({ run, count }: PricePosition): string =>
  `,"position":{"run":"${run}","count":${count}}`
