import type { DefinedTokens } from '../../client/tokens.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { msFrom, numberOption } from '../../base/option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  plainObject,
  required,
  stringOption,
  withDefault,
  type OptionTable,
} from '../../base/option-kinds/option.js'
import { recordOption } from '../option-kinds.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'

/** The rules of an account. They do not depend on whether the data are live or recorded. */
export interface PaperOptions {
  /** The tokens that can be traded, of `defineTokens`: one symbol for each address. */
  readonly tokens: DefinedTokens
  /** Cash at the start, in USD. */
  readonly cash: number
  /** The fee of a fill, in basis points of its value; usual: 1 to 10. */
  readonly feeBps: number
  /** What a buy pays above the price, and a sell gets below it, in basis points; usual: 1 to 5. */
  readonly slippageBps: number
  /**
   * Time from a decision, and from the trigger of a stop, to the earliest price that can fill it, in ms; usual: 50 to 500. With 0, an
   * order may fill at the price that caused it.
   */
  readonly latency: number
  /** Interval of the depth polls, in ms. The strategy should use the same one. Default: 500. */
  readonly depthInterval?: number
  /** The part of one depth that all orders of a side together take, in basis points. Default: 2500, a quarter. */
  readonly depthShareBps?: number
  /** A depth that is older than the price by more than this is not current, in ms. Default: 5000. */
  readonly maxDepthAge?: number
  /** Allows positions below 0. Default: `false`. */
  readonly allowShort?: boolean
  /**
   * The most that the values of all positions together may be after a fill, as a multiple of the equity. What reduces a position is
   * always filled. Default: 1.
   */
  readonly maxLeverage?: number
  /** Most data time between two `Equity` events while data arrive, in ms. Default: 1000. */
  readonly sampleMs?: number
  /**
   * Data time, from the first data on, over which the strategy runs first, in ms. Its orders in this time are not executed, no event is
   * emitted, and the account starts flat at its end. Default: 0.
   */
  readonly warmUp?: number
  /**
   * The path of a file that keeps each event, and the state of the account, before the event is emitted. A later run with
   * the same path continues with its cash, positions and open orders. If the file cannot be opened or written, or
   * another process uses it, the run ends with a `WriteError`. In Node alone. Default: none.
   */
  readonly journal?: string
}

const msOption = (fallback: number) => numberOption({ unit: 'ms', min: 0, max: 1e12, default: fallback })

const upTo = (most: number, expected: string) => {
  const holds = (value: unknown) => typeof value === 'number' && value >= 0 && value <= most
  return required(checkedOption<number>('number', { expected, holds }))
}

/** A cost of trading, which has no default: without it, each backtest is too good. */
const costOption = (unit: string, most: number, usual: string) =>
  upTo(most, `a number of ${unit} from 0 to ${most}, which has no default; usual: ${usual}`)

export const paperTable = {
  tokens: required(recordOption<DefinedTokens>('tokens of defineTokens', (value) => isToken(value))),
  cash: upTo(1e15, 'an amount in USD from 0 to 1e15'),
  feeBps: costOption('basis points', 10_000, '1 to 10'),
  slippageBps: costOption('basis points', 9_999, '1 to 5'),
  latency: costOption('ms', 1e12, '50 to 500'),
  depthInterval: withDefault(
    checkedOption<number>('number', { ...msFrom(1), expected: 'a number of ms of at least 1' }),
    500,
  ),
  depthShareBps: numberOption({ min: 0, max: 10_000, default: 2_500 }),
  maxDepthAge: msOption(5_000),
  allowShort: flagOption(false),
  maxLeverage: numberOption({ above: 0, max: 1_000, default: 1 }),
  sampleMs: numberOption({ unit: 'ms', min: 1, max: 1e12, default: 1_000 }),
  warmUp: msOption(0),
  journal: stringOption(/./, 'the path of a file'),
} satisfies OptionTable<PaperOptions>

const isToken = (value: unknown): boolean =>
  plainObject.holds(value) &&
  ['symbol', 'address', 'topic', 'decimals'].every((name) => name in (value as object))

/** The costs of trading, which a command also takes as flags. */
export type Costs = Partial<Pick<PaperOptions, 'latency' | 'feeBps' | 'slippageBps'>>

/** Basis points have 6 digits after the point. */
export const wholeShare = 10_000_000_000n

/** Adds the defaults, and makes `depthShareBps` a part of `wholeShare`. Throws a `ConfigurationError` for an invalid value or name. */
export const settingsOf = (options: PaperOptions) => {
  const { tokens, depthShareBps, ...rest } = parseOptions(paperTable, options, { allowsUndefined: true })
  const list = Object.values(tokens)
  const addresses = new Set(list.map(({ address }) => address.toLowerCase()))
  if (list.length === 0) throw new ConfigurationError('tokens', 'expected at least one token')
  if (addresses.size < list.length) throw new ConfigurationError('tokens', 'expected one symbol an address')
  return { ...rest, tokens: list, depthShare: BigInt(Math.round(depthShareBps * 1_000_000)) }
}

export type Settings = ReturnType<typeof settingsOf>
