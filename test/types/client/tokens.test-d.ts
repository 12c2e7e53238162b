import type { Either } from 'fp-ts/lib/Either.js'
import {
  defineTokens,
  formatQuantity,
  isAddress,
  isTopic,
  parseAddress,
  parseQuantity,
  type Address,
  type Client,
  type DecodeError,
  type DefinedToken,
  type InvalidMint,
  type TokenDefinition,
  type Topic,
} from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

declare const client: Client

describe('defineTokens', () => {
  const tokens = defineTokens({
    WETH: { address: '0x82af', decimals: 18 },
    WBTC: { address: '0x2f2a', decimals: 8 },
  })

  test('keeps the symbols as keys and as literal types', () => {
    expectTypeOf<keyof typeof tokens>().toEqualTypeOf<'WETH' | 'WBTC'>()
    expectTypeOf(tokens.WETH).toEqualTypeOf<DefinedToken<'WETH'>>()
    expectTypeOf(tokens.WETH.symbol).toEqualTypeOf<'WETH'>()
  })

  test('gives arguments of price$, depth$ and formatQuantity', () => {
    expectTypeOf(tokens.WETH.topic).toEqualTypeOf<Topic>()
    expectTypeOf(tokens.WETH.address).toEqualTypeOf<Address>()
    expectTypeOf(tokens.WETH.decimals).toEqualTypeOf<number>()
    expectTypeOf(client.price$).toBeCallableWith(tokens.WETH.topic)
    expectTypeOf(client.depth$).toBeCallableWith(tokens.WETH.address, 1000)
    expectTypeOf(formatQuantity).toBeCallableWith(1n, tokens.WETH.decimals)
  })

  test('accepts tokens of a JSON file, constants and symbols that are known at run time only', () => {
    const json = JSON.parse('{}') as { WETH: { address: string; decimals: number; name: string } }
    expectTypeOf(defineTokens(json).WETH).toEqualTypeOf<DefinedToken<'WETH'>>()
    const constant = { WETH: { address: '0x82af', decimals: 18 } } as const
    expectTypeOf(defineTokens(constant).WETH).toEqualTypeOf<DefinedToken<'WETH'>>()
    const record: Record<string, TokenDefinition> = {}
    expectTypeOf(defineTokens(record)['WETH']).toEqualTypeOf<DefinedToken | undefined>()
    expectTypeOf(defineTokens).toBeCallableWith(record, { service: 'acme' })
  })

  test('rejects what is no token', () => {
    // @ts-expect-error -- 0x is missing
    defineTokens({ WETH: { address: '82af', decimals: 18 } })
    // @ts-expect-error -- decimals are a number
    defineTokens({ WETH: { address: '0x82af', decimals: '18' } })
    // @ts-expect-error -- missing decimals
    defineTokens({ WETH: { address: '0x82af' } })
    // @ts-expect-error -- the option is an object
    defineTokens({ WETH: { address: '0x82af', decimals: 18 } }, 'acme')
    // @ts-expect-error -- a readonly property
    tokens.WETH.decimals = 6
    // @ts-expect-error -- not defined
    expectTypeOf(tokens.WETHH)
  })
})

test('the guards turn a string into an argument', () => {
  const text: string = JSON.stringify(1)
  if (isTopic(text)) expectTypeOf(text).toEqualTypeOf<Topic>()
  if (isAddress(text)) expectTypeOf(text).toEqualTypeOf<Address>()
  expectTypeOf(['a'].filter(isTopic)).toEqualTypeOf<Topic[]>()
  expectTypeOf(['a'].filter(isAddress)).toEqualTypeOf<Address[]>()
  const variable = [undefined, 'a'][0]
  if (isAddress(variable)) expectTypeOf(variable).toEqualTypeOf<Address>()
})

test('the parsers return an Either', () => {
  expectTypeOf(parseAddress).toEqualTypeOf<(text: string) => Either<InvalidMint, Address>>()
  expectTypeOf(parseQuantity).toEqualTypeOf<(text: string, decimals: number) => Either<DecodeError, bigint>>()
  expectTypeOf(formatQuantity).toEqualTypeOf<(quantity: bigint, decimals: number) => string>()
})
