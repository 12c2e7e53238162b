import { isPriceValue } from '../base/domain/valid-numbers.js'

/** The prices at which the page shows an alert for a token, in USD. `below` is less than `above`. */
export interface Threshold {
  /** Reached by a price that is at least this. */
  readonly above?: number | undefined
  /** Reached by a price that is at most this. */
  readonly below?: number | undefined
}

export type ThresholdSide = 'above' | 'below'

/** Share of a threshold by which a price must return before it can reach it again: a price that moves around it reaches it once. */
const returnShare = 0.0005

/** The side that is reached with this price. `before`: the side that was reached with the price before. */
export const reachedSide = (
  { above = Infinity, below = -Infinity }: Threshold,
  price: number,
  before: ThresholdSide | undefined,
): ThresholdSide | undefined => {
  if (price >= (before === 'above' ? above * (1 - returnShare) : above)) return 'above'
  return price <= (before === 'below' ? below * (1 + returnShare) : below) ? 'below' : undefined
}

/** The thresholds of a page, by the address of the token in lower case. */
export type Thresholds = Readonly<Record<string, Threshold | undefined>>

/** Reads stored thresholds, which a page of any version, or a person, has written. Leaves out what is not valid. */
export const parseThresholds = (text: string | null): Thresholds => {
  try {
    const stored = Object.entries(JSON.parse(text ?? '{}') as Record<string, Threshold | null>)
    const thresholds = stored.map(
      ([address, each]) => [address, thresholdOf(each?.above, each?.below)] as const,
    )
    return Object.fromEntries(thresholds.filter(([, threshold]) => threshold !== undefined))
  } catch {
    return {}
  }
}

/** `undefined` if one of them is no price, if `below` is not less than `above`, or without both. */
export const thresholdOf = (above: unknown, below: unknown): Threshold | undefined => {
  if (above === undefined && below === undefined) return undefined
  if ((above !== undefined && !isPriceValue(above)) || (below !== undefined && !isPriceValue(below)))
    return undefined
  return above !== undefined && below !== undefined && below >= above ? undefined : { above, below }
}

/** For a button: `≥ 2700 ≤ 2500`; empty without a threshold. */
export const thresholdText = ({ above, below }: Threshold): string =>
  [above === undefined ? [] : `≥\u00a0${above}`, below === undefined ? [] : `≤\u00a0${below}`]
    .flat()
    .join(' ')

/** A threshold that is reached now. */
export interface Reached {
  readonly symbol: string
  readonly side: ThresholdSide
  /** In USD. */
  readonly threshold: number
}

/** `ETH above 2700 USD`. */
const reachedText = ({ symbol, side, threshold }: Reached): string => `${symbol} ${side} ${threshold} USD`

const title = 'Live prices · svc-streams'

/** The title of the page. Begins with what is not current, if anything is not. */
export const pageTitle = (problem: string | undefined, reached: readonly Reached[]): string => {
  const [first, ...others] = reached
  const alert = others.length > 0 ? `${reached.length} thresholds reached` : first && reachedText(first)
  return [problem, alert, title].filter((text) => text !== undefined).join(' · ')
}
