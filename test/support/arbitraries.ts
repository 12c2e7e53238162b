import fc from 'fast-check'
import type { Address, Topic } from '../../src/base/domain/topic.js'
import type { DepthSnapshot } from '../../src/base/domain/depth.js'

// Generators that the tests of several folders share.

/** A value and one of its textual forms. */
export interface Encoded<T> {
  readonly text: string
  readonly value: T
}

const characters = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength })

export const address: fc.Arbitrary<Address> = characters('0123456789abcdefABCDEF', 1, 64).map(
  (digits): Address => `0x${digits}`,
)

export const service: fc.Arbitrary<string> = fc.constantFrom('svc', 'acme', 'Acme2', 'my-svc', 'a_b')

export const topic: fc.Arbitrary<Topic> = address.map((token): Topic => `svc-${token}`)

/** The same text with each letter in a random case. */
export const withRandomCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) =>
      text.replace(/[a-z]/gi, (letter, at: number) =>
        upper[at] === true ? letter.toUpperCase() : letter.toLowerCase(),
      ),
    )

/** A price: a finite double above zero. */
export const priceValue: fc.Arbitrary<number> = fc.double({
  min: 0,
  minExcluded: true,
  max: Infinity,
  maxExcluded: true,
  noNaN: true,
})

/** A price in JSON, also with more digits than a double holds and with an exponent of either sign. */
export const priceText: fc.Arbitrary<string> = fc.oneof(
  priceValue.map(String),
  fc
    .tuple(
      fc.bigInt({ min: 1n, max: 10n ** 40n }),
      characters('0123456789', 1, 40),
      fc.integer({ min: -60, max: 60 }),
    )
    .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
)

/** Up to far above the largest integer that a double holds exactly. */
export const quantity: fc.Arbitrary<bigint> = fc.bigInt({ min: 0n, max: 10n ** 60n })

/** A quantity in decimal notation: plain, with a decimal point and an exponent, or with insignificant zeros. */
export const encodedQuantity: fc.Arbitrary<Encoded<bigint>> = fc.oneof(
  quantity.map((value) => ({ value, text: String(value) })),
  fc
    .tuple(quantity, fc.integer({ min: 1, max: 80 }), fc.constantFrom('e', 'E', 'e+'))
    .map(([value, places, mark]) => ({ value, text: `${shiftDecimalPoint(value, places)}${mark}${places}` })),
  fc
    .tuple(quantity, fc.integer({ min: 0, max: 1000 }))
    .map(([value, zeros]) => ({ value: value * 10n ** BigInt(zeros), text: `${value}e${zeros}` })),
  fc
    .tuple(quantity, fc.integer({ min: 1, max: 30 }))
    .map(([value, zeros]) => ({ value, text: `${value}.${'0'.repeat(zeros)}` })),
  fc
    .tuple(quantity, fc.integer({ min: 1, max: 30 }))
    .map(([value, zeros]) => ({ value, text: `${value}${value === 0n ? '' : '0'.repeat(zeros)}e-${zeros}` })),
)

/** Writes an integer with a decimal point before its last `places` digits. */
const shiftDecimalPoint = (value: bigint, places: number): string => {
  const digits = String(value).padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** A JSON number or a JSON string. Deployments send either. */
const asJson = (text: string): fc.Arbitrary<string> => fc.constantFrom(text, `"${text}"`)

const jsonOf = <T>(encoded: fc.Arbitrary<Encoded<T>>): fc.Arbitrary<Encoded<T>> =>
  encoded.chain(({ value, text }) => asJson(text).map((json) => ({ value, text: json })))

const encodedNumber = (numbers: fc.Arbitrary<number>): fc.Arbitrary<Encoded<number>> =>
  numbers.map((value) => ({ value, text: String(value) }))

const usdAmount = fc.double({ min: 0, max: Infinity, maxExcluded: true, noNaN: true })

type Fields = Readonly<Record<string, Encoded<unknown>>>

/** A JSON object with the fields in any order, additional fields, and white space. */
const objectText = (fields: Fields): fc.Arbitrary<string> => {
  const extra = fc.tuple(
    fc.string().filter((name) => !Object.hasOwn(fields, name)),
    fc.oneof(fc.json(), fc.constantFrom('12345678901234567890.5', '1e9999', '[{"price":0}]')),
  )
  const entries = Object.entries(fields).map(([name, { text }]) => [name, text] as const)
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ')
  return fc
    .tuple(fc.uniqueArray(extra, { selector: ([name]) => name, maxLength: 3 }), space)
    .chain(([others, gap]) =>
      fc
        .shuffledSubarray([...entries, ...others], { minLength: entries.length + others.length })
        .map((all) =>
          [
            '{',
            all.map(([name, json]) => `${JSON.stringify(name)}${gap}:${gap}${json}`).join(`${gap},${gap}`),
            '}',
          ].join(gap),
        ),
    )
}

interface Sides {
  readonly total_quantity: Encoded<bigint>
  readonly total_quantity_usd: Encoded<number>
}

const sideFields: fc.Arbitrary<Sides> = fc.record({
  total_quantity: jsonOf(encodedQuantity),
  total_quantity_usd: jsonOf(encodedNumber(usdAmount)),
})

const encodedSide = sideFields.chain((fields) =>
  objectText({ ...fields }).map((text) => ({
    text,
    value: {
      totalQuantity: fields.total_quantity.value,
      totalQuantityUsd: fields.total_quantity_usd.value,
    },
  })),
)

/** The body of a depth response, and its decoded depth. */
export const encodedDepth: fc.Arbitrary<Encoded<DepthSnapshot>> = fc
  .record({
    price: jsonOf(encodedNumber(priceValue)),
    timestamp: jsonOf(encodedNumber(fc.maxSafeNat())),
    buy: encodedSide,
    sell: encodedSide,
  })
  .chain((fields) =>
    objectText({ ...fields }).map((text) => ({
      text,
      value: {
        price: fields.price.value,
        timestamp: fields.timestamp.value,
        buy: fields.buy.value,
        sell: fields.sell.value,
      },
    })),
  )

/** Not fast-check's own unit of this kind: it builds a map of all code points, for a second, to shrink known texts. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

/** Any text, also with lone surrogates, control characters and line separators. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString()),
  characters('\u0000\u0007\u001b[2J\r\n\t\u007f\u0085\u009b\u2028\u2029\ufeff\ud83d\ude00ab "', 0, 300),
  characters('\u009b\u061c\u200b\u200d\u200e\u202e\u2029\u2066\u2069\ufeff\u3164\ud83d界e\u0301a ', 0, 100),
  characters('{}[]":,0.eE+-\\u \n', 0, 60),
  fc.json(),
  fc.constantFrom('x', '\n', '\ud83d', '\u001b', '9', '{').map((unit) => unit.repeat(5000)),
)

/** The text after one to three mutations. Each one duplicates a piece or replaces it by another text. */
export const mutate = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.oneof(fc.constant(undefined), anyText)), {
      minLength: 1,
      maxLength: 3,
    })
    .map((cuts) =>
      cuts.reduce((whole, [at, length, other]) => {
        const start = at % (whole.length + 1)
        const end = start + length
        const piece = other ?? whole.slice(start, end).repeat(2)
        return whole.slice(0, start) + piece + whole.slice(end)
      }, text),
    )

/** Names of properties of built-in objects, and names with a meaning for the runtime or for fp-ts. */
export const builtInPropertyName: fc.Arbitrary<string> = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  '_tag',
)

/** JSON nested deeper than the call stack allows, complete or cut off. */
export const deepText: fc.Arbitrary<string> = fc
  .tuple(
    fc.integer({ min: 1000, max: 50_000 }),
    fc.constantFrom(['[', ']'] as const, ['{"price":', '}'] as const, ['{"__proto__":', '}'] as const),
    fc.boolean(),
  )
  .map(([depth, [open, close], closed]) => open.repeat(depth) + '1' + (closed ? close.repeat(depth) : ''))
