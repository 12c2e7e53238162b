import type { PricePosition } from '../../base/domain/position.js'

/** A position in a message or in a row. Any other value is ignored: later versions may have another form. */
export const readPosition = (value: unknown): PricePosition | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const { run, count } = value as Readonly<Record<string, unknown>>
  return isRun(run) && isCount(count) ? { run, count } : undefined
}

export const isRun = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** The text of the field `position` at the end of a JSON object. A run has no characters that are escaped. */
export const positionField = ({ run, count }: PricePosition): string =>
  `,"position":{"run":"${run}","count":${count}}`
