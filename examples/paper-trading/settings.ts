import type { DefinedToken } from 'svc-streams'
import { basisPoints, maxTokenDecimals, money, type BasisPoints, type Money } from './money.js'

/** The rules of an account. Nothing in them depends on whether the data are live or recorded. */
export interface PaperOptions {
  /** The tokens that can be traded, at most 18 decimals each. */
  readonly tokens: readonly DefinedToken[]
  /** Cash at the start, in USD. */
  readonly cash: number
  /** Fee of each trade, in basis points of its value. Default: 5. */
  readonly feeBps?: number
  /** Time from the decision of an order to its fill, in ms. Default: 50. */
  readonly latency?: number
  /** The part of one depth that all orders of one side together can take, in basis points. Default: 2500, a quarter. */
  readonly depthShareBps?: number
  /** A depth that is older than the price by more than this, in ms, is not current. Default: 5000. */
  readonly maxDepthAge?: number
  /** Interval of the depth polls, in ms. Default: 500. */
  readonly interval?: number
  /** Allows positions below 0. The cash from a short sale can be spent. Default: `false`. */
  readonly allowShort?: boolean
  /** Minimum data time between two points of the equity curve, in ms. A change of a position adds one. Default: 1000. */
  readonly sampleEvery?: number
}

/** The options with their defaults, and amounts as integers. */
export interface Settings {
  readonly tokens: ReadonlyMap<string, DefinedToken>
  readonly cash: Money
  readonly feeRate: BasisPoints
  readonly depthShare: BasisPoints
  readonly latency: number
  readonly maxDepthAge: number
  readonly interval: number
  readonly allowShort: boolean
  readonly sampleEvery: number
}

/** Throws a `RangeError` for an amount that is negative or not finite, and for a token with too many decimals. */
export const settingsOf = (options: PaperOptions): Settings => {
  const { tokens, cash, feeBps = 5, depthShareBps = 2_500, latency = 50 } = options
  for (const { symbol, decimals } of tokens)
    if (decimals > maxTokenDecimals)
      throw new RangeError(`${symbol}: expected at most ${maxTokenDecimals} decimals, got ${decimals}`)
  if (depthShareBps > 10_000)
    throw new RangeError(`depthShareBps: expected at most 10000, got ${depthShareBps}`)
  if (!(latency >= 0)) throw new RangeError(`latency: expected at least 0, got ${latency}`)
  return {
    tokens: new Map(tokens.map((token) => [token.symbol, token])),
    cash: money(cash),
    feeRate: basisPoints(feeBps),
    depthShare: basisPoints(depthShareBps),
    latency,
    maxDepthAge: options.maxDepthAge ?? 5_000,
    interval: options.interval ?? 500,
    allowShort: options.allowShort ?? false,
    sampleEvery: options.sampleEvery ?? 1_000,
  }
}
