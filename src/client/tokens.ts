import { isAddress, type Address, type Topic } from '../base/domain/topic.js'
import { decimalsSyntax, isDecimals } from '../base/domain/valid-numbers.js'
import { describeValue, oneLine } from '../base/errors/text.js'
import {
  checkedOption,
  plainObject,
  required,
  type Check,
  type OptionTable,
} from '../base/option-kinds/option.js'
import { checkValue, parseOptions, type CheckRules } from '../base/option-kinds/parse-options.js'
import { serviceOption } from './options.js'

/** The contract of a token. */
export interface TokenDefinition {
  /** The contract address: `0x` and hex digits, in any case. */
  readonly address: Address
  /** 0 to 255. One token is 10 to the power of `decimals` base-token units. */
  readonly decimals: number
}

/** A token of `defineTokens`. */
export interface DefinedToken<Symbol extends string = string> extends TokenDefinition {
  readonly symbol: Symbol
  /** The topic of the token's prices. */
  readonly topic: Topic
}

/** The tokens of `defineTokens`, by symbol. */
export type DefinedTokens<Symbol extends string = string> = {
  readonly [S in Symbol]: DefinedToken<S>
}

/** Options of `defineTokens`. */
export interface DefineTokensOptions {
  /** Name of the service: the prefix of the topics. Default: `svc`. */
  readonly service?: string
}

/** The definitions of the tokens with these addresses, by symbol. */
type Definitions<Addresses> = {
  readonly [S in keyof Addresses]: {
    readonly address: CheckedAddress<Addresses[S]>
    readonly decimals: number
  }
}

/** The compiler checks a literal. The call checks an address of type `string`, such as one from an imported JSON file. */
type CheckedAddress<A> = A extends Address ? A : string extends A ? A : Address

/**
 * Defines the tokens of a program once, by symbol. Each token has the `topic` for `price$`, the `address` for `depth$`
 * and the `decimals` for `formatQuantity`. Addresses keep their spelling. Throws a `ConfigurationError` that names the
 * symbol and the invalid property. Unknown properties are ignored.
 *
 * @example
 * const { WETH } = defineTokens({
 *   WETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
 * })
 * WETH.topic // 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
 */
export const defineTokens = <const Addresses extends Readonly<Record<string, string>>>(
  definitions: Definitions<Addresses>,
  options: DefineTokensOptions = {},
): DefinedTokens<keyof Addresses & string> => {
  const { service } = parseOptions({ service: serviceOption }, options)
  checkValue('tokens', definitions, definitionsCheck, tokenRules)
  const tokens = Object.entries<object>(definitions).map(([symbol, definition]) => {
    const { address, decimals } = parseOptions(tokenTable, definition, tokenRules, oneLine(symbol))
    return [symbol, { symbol, address, topic: `${service}-${address}`, decimals }]
  })
  return Object.fromEntries(tokens) as DefinedTokens<keyof Addresses & string>
}

const definitionsCheck: Check = {
  ...plainObject,
  expected: 'an object like { WETH: { address, decimals } }',
}

const tokenRules: CheckRules = {
  expected: 'an object like { address, decimals }',
  allowsUndefined: true,
  format: describeValue,
}

const tokenTable = {
  address: required(checkedOption<Address>('string', { expected: '0x and hex digits', holds: isAddress })),
  decimals: required(checkedOption<number>('integer', { expected: decimalsSyntax, holds: isDecimals })),
} satisfies OptionTable<TokenDefinition>
