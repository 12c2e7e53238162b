import type { DefinedToken, DefinedTokens } from '../../client/tokens.js'
import { isInterval } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { numberOption } from '../../base/option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  plainObject,
  required,
  stringOption,
  withDefault,
  type OptionTable,
} from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import { exact, priceDigits, shareDigits, shareOf } from './exact.js'

/** The rules of an account. They do not depend on whether the data are live or recorded. */
export interface PaperOptions {
  /** The tokens that can be traded, of `defineTokens`. */
  readonly tokens: DefinedTokens
  /** Cash at the start, in USD. */
  readonly cash: number
  /** The fee of a fill, in basis points of its value. Default: 0. */
  readonly feeBps?: number
  /** What a buy pays above the price, and a sell gets below it, in basis points. Default: 0. */
  readonly slippageBps?: number
  /** Time from a decision to the earliest price that can fill it, in ms. Default: 0. */
  readonly latency?: number
  /** Interval of the depth polls, in ms. The strategy should use the same one. Default: 500. */
  readonly depthInterval?: number
  /** The part of one depth that all orders of a side together take, in basis points. Default: 2500, a quarter. */
  readonly depthShareBps?: number
  /** A depth that is older than the price by more than this is not current, in ms. Default: 5000. */
  readonly maxDepthAge?: number
  /** Allows positions below 0. The cash from a short sale can be spent. Default: `false`. */
  readonly allowShort?: boolean
  /** Most data time between two `Equity` events while data arrive, in ms. Default: 1000. */
  readonly sampleMs?: number
  /**
   * The path of a file that keeps each event, and the state of the account, before the event is emitted. A later run with
   * the same path continues with its cash, positions and open orders. If the file cannot be opened or written, or
   * another process uses it, the run ends with a `WriteError`. In Node alone. Default: none.
   */
  readonly journal?: string
}

const bpsOption = (fallback: number) => numberOption({ min: 0, max: 10_000, default: fallback })
const msOption = (fallback: number) => numberOption({ unit: 'ms', min: 0, max: 1e12, default: fallback })

export const paperTable = {
  tokens: required(
    checkedOption<DefinedTokens>('object', {
      expected: 'tokens of defineTokens',
      holds: (value) => plainObject.holds(value) && Object.values(value as object).every(isToken),
    }),
  ),
  cash: required(
    checkedOption<number>('number', {
      expected: 'an amount in USD from 0 to 1e15',
      holds: (value) => typeof value === 'number' && value >= 0 && value <= 1e15,
    }),
  ),
  feeBps: bpsOption(0),
  slippageBps: bpsOption(0),
  latency: msOption(0),
  depthInterval: withDefault(
    checkedOption<number>('number', { expected: 'a number of ms of at least 1', holds: isInterval }),
    500,
  ),
  depthShareBps: bpsOption(2_500),
  maxDepthAge: msOption(5_000),
  allowShort: flagOption(false),
  sampleMs: numberOption({ unit: 'ms', min: 1, max: 1e12, default: 1_000 }),
  journal: stringOption(/./, 'the path of a file'),
} satisfies OptionTable<PaperOptions>

const isToken = (value: unknown): boolean =>
  plainObject.holds(value) &&
  ['symbol', 'address', 'topic', 'decimals'].every((name) => name in (value as object))

/** The options of a replay: the journal is that of the live run. */
export const withoutJournal = (options: PaperOptions): PaperOptions => {
  const rules: Partial<Record<keyof PaperOptions, unknown>> = { ...options }
  delete rules.journal
  return rules as PaperOptions
}

/** The options with their defaults, and amounts as integers. */
export interface Settings extends Readonly<
  Pick<Required<PaperOptions>, 'latency' | 'depthInterval' | 'maxDepthAge' | 'allowShort' | 'sampleMs'>
> {
  readonly tokens: readonly DefinedToken[]
  /** Digits after the point of an amount in USD: the products of price, slippage, quantity and fee need no others. */
  readonly digits: number
  /** In units of `digits`. */
  readonly cash: bigint
  readonly feeShare: bigint
  readonly slippageShare: bigint
  readonly depthShare: bigint
  readonly journal: string | undefined
}

/** Throws a `ConfigurationError` for an invalid value and a misspelt option name. */
export const settingsOf = (options: PaperOptions): Settings => {
  const { tokens, cash, feeBps, slippageBps, depthShareBps, ...rest } = parseOptions(paperTable, options, {
    allowsUndefined: true,
  })
  const list = Object.values(tokens)
  if (list.length === 0) throw new ConfigurationError('tokens', 'expected at least one token')
  const digits = priceDigits + 2 * shareDigits + Math.max(...list.map(({ decimals }) => decimals))
  return {
    ...rest,
    tokens: list,
    digits,
    cash: exact(cash, digits),
    feeShare: shareOf(feeBps),
    slippageShare: shareOf(slippageBps),
    depthShare: shareOf(depthShareBps),
  }
}
