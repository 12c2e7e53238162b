import type { Card } from './card.js'

/** A request that takes longer has failed. In ms. */
const requestTimeout = 5000

/** False if there is no depth, if the last request failed, and if the next result is overdue. */
export const isDepthCurrent = (
  { depth, depthError }: Card,
  now: number,
  depthInterval: number | null,
): boolean => {
  if (depth === undefined || depthError !== undefined || depthInterval === null) return false
  return now - depth.receivedAt <= 2 * depthInterval + requestTimeout
}
