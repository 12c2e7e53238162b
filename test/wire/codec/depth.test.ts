import fc from 'fast-check'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { ConfigurationError, encodeDepth, type DepthSnapshot } from 'svc-streams'
import { depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { decodeDepth, DepthBody, recogniseDepth } from '../../../src/wire/codec/depth.js'
import { expectDecodeError } from '../../base/errors/support/well-formed.js'
import {
  anyText,
  deepText,
  mutate,
  priceText,
  encodedDepth,
  builtInPropertyName,
} from '../../support/arbitraries.js'

interface Texts {
  readonly price: string
  readonly timestamp: string
  readonly quantity: string
  readonly usd: string
}

const good: Texts = {
  price: '2682.5',
  timestamp: '1745462597105',
  quantity: '9336472979533427000',
  usd: '25045.25',
}

const sell = '{"total_quantity":1,"total_quantity_usd":2}'

const bodyOf = (texts: Partial<Texts> = {}): string => {
  const { price, timestamp, quantity, usd } = { ...good, ...texts }
  const buy = `{"total_quantity":${quantity},"total_quantity_usd":${usd}}`
  return `{"price":${price},"timestamp":${timestamp},"buy":${buy},"sell":${sell}}`
}

/** Fields, each with a comma behind it, whose names and values look like quantities. */
const otherFields: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom('total_quantity', '"', '\\', ':', '{', '}', ',', ' ', '1', '\n', 'x'), {
      maxLength: 12,
    }),
    fc.array(fc.constantFrom('total_quantity', '"', '\\', ':', '{', '}', ',', ' ', '1', '\n', 'x'), {
      maxLength: 12,
    }),
    fc.constantFrom('', ' ', '\n\t'),
  )
  .map(([name, value, gap]) => {
    const text = JSON.stringify(value.join(''))
    const nested = `{"total_quantity":${gap}7${gap},${text}${gap}:${gap}7,"x":[${text},{"total_quantity"${gap}:1e30}]}`
    return `${JSON.stringify(`x${name.join('')}`)}${gap}:${gap}${nested},`
  })

const expectTotal = (text: string): void => {
  const depth = decodeDepth(text)
  if (isLeft(depth)) return expectDecodeError(depth.left, text)
  const { price, timestamp, ...sides } = depth.right
  expect(price).toBeGreaterThan(0)
  expect(Number.isSafeInteger(timestamp)).toBe(true)
  for (const side of [sides.buy, sides.sell]) {
    expect(side.totalQuantity).toBeTypeOf('bigint')
    expect(side.totalQuantity >= 0n).toBe(true)
    expect(side.totalQuantityUsd).toBeGreaterThanOrEqual(0)
  }
}

describe('decodeDepth (section 2.1)', () => {
  it('decodes numbers and decimal strings, keeps quantities exact, and ignores unknown fields', () => {
    fc.assert(
      fc.property(encodedDepth, ({ text, value }) => {
        expect(decodeDepth(text)).toEqual(right(value))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps quantities exact beside fields and strings that look like quantities', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), otherFields, (totalQuantity, extra) => {
        const text = bodyOf({ quantity: String(totalQuantity) }).replaceAll('{', () => `{${extra}`)
        expect(decodeDepth(text)).toMatchObject({
          right: { buy: { totalQuantity }, sell: { totalQuantity: 1n } },
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('takes the last of duplicate quantities, and none from inside another field', () => {
    const quantities = ['1', '"2"', '18446744073709551617', '{"total_quantity":3}', '[4]']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...quantities)), (others) => {
        const fields = others.map((each) => `"total_quantity" :\n${each},`).join('')
        const text = bodyOf({ quantity: '2e21' }).replace('"total_quantity"', `${fields}"total_quantity"`)
        expect(decodeDepth(text)).toMatchObject({ right: { buy: { totalQuantity: 2n * 10n ** 21n } } })
      }),
    )
  })

  it('decodes a quantity whose name is written with escapes, if a double holds it', () => {
    const escaped = (quantity: string) =>
      bodyOf({ quantity }).replace('total_quantity', 'total_quantit\\u0079')
    expect(decodeDepth(escaped('12'))).toMatchObject({ right: { buy: { totalQuantity: 12n } } })
    expect(decodeDepth(escaped('9007199254740993'))).toMatchObject({
      left: { issues: [{ path: 'buy.total_quantity' }] },
    })
  })

  it('decodes the documented fields by their names', () => {
    expect(decodeDepth(bodyOf())).toEqual(
      right({
        price: 2682.5,
        timestamp: 1745462597105,
        buy: { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25045.25 },
        sell: { totalQuantity: 1n, totalQuantityUsd: 2 },
      }),
    )
  })

  it('decodes what DepthBody encodes, through JSON text', () => {
    fc.assert(
      fc.property(encodedDepth, ({ value: { price, timestamp, buy, sell } }) => {
        const toBody = (side: typeof buy) => ({
          total_quantity: side.totalQuantity,
          total_quantity_usd: side.totalQuantityUsd,
        })
        const body = { price, timestamp, buy: toBody(buy), sell: toBody(sell) }
        expect(DepthBody.is(body)).toBe(true)
        const text = JSON.stringify(DepthBody.encode(body))
        expect(DepthBody.decode(JSON.parse(text))).toEqual(right(body))
        expect(decodeDepth(text)).toEqual(right({ price, timestamp, buy, sell }))
      }),
    )
  })

  it('decodes every form of a price to the double that JSON.parse returns', () => {
    fc.assert(
      fc.property(priceText, fc.constantFrom('', '"'), (text, quote) => {
        const price = JSON.parse(text) as number
        const depth = decodeDepth(bodyOf({ price: quote + text + quote }))
        if (price > 0 && price < Infinity) expect(depth).toMatchObject({ right: { price } })
        else expect(isLeft(depth)).toBe(true)
      }),
    )
  })

  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551616', 2n ** 64n],
    ['1e21', 10n ** 21n],
    ['1.50E+3', 1500n],
    ['1500e-2', 15n],
    [`1${'0'.repeat(40)}`, 10n ** 40n],
    ['1e1000', 10n ** 1000n],
    ['"12345678901234567890123456789012345678901"', 12345678901234567890123456789012345678901n],
  ])('decodes a quantity of %s exactly', (quantity, totalQuantity) => {
    expect(decodeDepth(bodyOf({ quantity }))).toMatchObject({ right: { buy: { totalQuantity } } })
  })

  it('decodes a quantity of 5000 digits exactly', () => {
    const totalQuantity = 10n ** 5000n - 1n
    expect(decodeDepth(bodyOf({ quantity: '9'.repeat(5000) }))).toMatchObject({
      right: { buy: { totalQuantity } },
    })
  })

  it.each([
    '-1',
    '1.5',
    '1e-1',
    '"1.5"',
    '""',
    '" 1"',
    '"0x10"',
    '"1n"',
    '"Infinity"',
    '"NaN"',
    'null',
    'true',
    '[]',
    '{}',
    '[1]',
  ])('rejects a quantity of %s', (quantity) => {
    const text = bodyOf({ quantity })
    const depth = decodeDepth(text)
    if (!isLeft(depth)) return expect.unreachable()
    expect(depth.left.issues).toMatchObject([
      { path: 'buy.total_quantity', expected: 'an integer of at least 0' },
    ])
    expectDecodeError(depth.left, text)
  })

  it('rejects an exponent above 1000 without expanding it', () => {
    const exponent = fc.bigInt({ min: 1001n, max: 10n ** 40n })
    fc.assert(
      fc.property(exponent, fc.constantFrom('', '-'), fc.constantFrom('', '"'), (size, sign, quote) => {
        const depth = decodeDepth(bodyOf({ quantity: `${quote}1e${sign}${size}${quote}` }))
        expect(depth).toMatchObject({ left: { issues: [{ path: 'buy.total_quantity' }] } })
      }),
    )
  })

  it.each(['-0.01', '-1e-300', '1e400', '"-1"', '"Infinity"', '"NaN"', '""', 'null', 'true', '[]'])(
    'rejects USD totals of %s',
    (usd) => {
      expect(decodeDepth(bodyOf({ usd }))).toMatchObject({
        left: { issues: [{ path: 'buy.total_quantity_usd', expected: 'a finite number of at least 0' }] },
      })
    },
  )

  it.each(['0', '-0', '-1', '1e-400', '1e400', '"0"', '"x"', 'null', 'true', '{}'])(
    'rejects a price of %s',
    (price) => {
      expect(decodeDepth(bodyOf({ price }))).toMatchObject({
        left: { issues: [{ path: 'price', expected: 'a finite number above 0' }] },
      })
    },
  )

  it.each(['1.5', '9007199254740993', '1e400', '"now"', '"2025-01-01"', 'null', '{}'])(
    'rejects a timestamp of %s',
    (timestamp) => {
      expect(decodeDepth(bodyOf({ timestamp }))).toMatchObject({
        left: { issues: [{ path: 'timestamp', expected: 'an integer number of ms' }] },
      })
    },
  )

  it('accepts USD totals of 0', () => {
    expect(isRight(decodeDepth(bodyOf({ usd: '0' })))).toBe(true)
  })

  it.each([
    'price',
    'timestamp',
    'buy',
    'sell',
    'buy.total_quantity',
    'buy.total_quantity_usd',
    'sell.total_quantity',
  ])('reports the path of a missing field: %s', (path) => {
    const body = JSON.parse(bodyOf()) as Record<string, Record<string, unknown>>
    const [first = '', second] = path.split('.')
    if (second === undefined) Reflect.deleteProperty(body, first)
    else Reflect.deleteProperty(body[first]!, second)
    const text = JSON.stringify(body)
    const depth = decodeDepth(text)
    if (!isLeft(depth)) return expect.unreachable()
    expect(depth.left.issues.map((issue) => issue.path)).toContain(path)
    expect(depth.left.issues.find((issue) => issue.path === path)?.actual).toBe('nothing')
    expectDecodeError(depth.left, text)
  })

  it('reports every invalid field in one line', () => {
    expect(decodeDepth(bodyOf({ price: '0', quantity: '"a\\nb\\u2028"' }))).toMatchObject({
      left: {
        message:
          'depth: price: expected a finite number above 0, got 0; ' +
          'buy.total_quantity: expected an integer of at least 0, got "a\\nb\\u2028"',
      },
    })
  })

  it('uses the last value of a duplicate field, as JSON.parse does', () => {
    const text = bodyOf().replace('{', '{"price":1,"sell":null,')
    expect(decodeDepth(text)).toEqual(decodeDepth(bodyOf()))
  })
})

describe('decodeDepth, for any text,', () => {
  it.each([
    '',
    ' ',
    'null',
    '[]',
    '1',
    '"depth"',
    '{}',
    'Unauthorized',
    '<html>\n<body>502</body></html>',
    `${bodyOf()}x`,
  ])('returns a DecodeError for text that is not a depth body: %j', (text) => {
    const depth = decodeDepth(text)
    if (!isLeft(depth)) return expect.unreachable()
    expectDecodeError(depth.left, text)
  })

  it('never throws', () => {
    fc.assert(fc.property(anyText, expectTotal))
  })

  it('never throws for a mutated body', () => {
    const mutilated = encodedDepth.chain(({ text }) => mutate(text))
    fc.assert(fc.property(mutilated, expectTotal), { numRuns: 500 })
  })

  it.each([
    ['escaped quotation marks', (length: number) => `"${'\\"'.repeat(length / 2)}"`],
    ['backslashes', (length: number) => `"${'\\\\'.repeat(length / 2)}"`],
    [
      'quantities in a string',
      (length: number) => JSON.stringify('"total_quantity": 1,'.repeat(length / 24)),
    ],
    ['quantities', (length: number) => `[${'{"total_quantity":1},'.repeat(length / 21)}1]`],
    [
      'names without a quantity',
      (length: number) => `["total_quantity",${'"total_quantity" ,'.repeat(length / 18)}1]`,
    ],
    [
      'white space',
      (length: number) => `{"total_quantity"${' '.repeat(length / 2)}:${' '.repeat(length / 2)}1}`,
    ],
    ['empty strings', (length: number) => `[${'"",'.repeat(length / 3)}1]`],
    ['digits', (length: number) => `{"total_quantity":${'1'.repeat(length)}}`],
  ])('reads a field of 1 MiB in linear time: %s', (_what, json) => {
    // Quadratic time would not end.
    const text = bodyOf().replace('{', `{"extra":${json(1_048_576)},`)
    expect(decodeDepth(text)).toEqual(decodeDepth(bodyOf()))
    expect(isLeft(decodeDepth(text.slice(0, -1)))).toBe(true)
  })

  it('never throws for deep nesting', () => {
    const nested = fc.oneof(
      deepText,
      deepText.map((text) => bodyOf().replace('{', `{"extra":${text},`)),
      deepText.map((price) => bodyOf({ price })),
    )
    fc.assert(fc.property(nested, expectTotal), { numRuns: 20 })
  })

  it('ignores fields named like members of Object.prototype', () => {
    const value = fc.oneof(fc.json(), fc.constant(bodyOf()))
    fc.assert(
      fc.property(builtInPropertyName, value, (name, json) => {
        expect(decodeDepth(bodyOf().replaceAll('{', () => `{"${name}":${json},`))).toEqual(
          decodeDepth(bodyOf()),
        )
      }),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('ignores the fields inside __proto__', () => {
    const missing = `{"price":1,"__proto__":{"timestamp":5,"buy":${sell},"sell":${sell}}}`
    expect(decodeDepth(missing)).toMatchObject({
      left: { issues: [{ path: 'timestamp' }, { path: 'buy' }, { path: 'sell' }] },
    })
    const nested = bodyOf().replace('"total_quantity_usd":25045.25', '"__proto__":{"total_quantity_usd":3}')
    expect(decodeDepth(nested)).toMatchObject({ left: { issues: [{ path: 'buy.total_quantity_usd' }] } })
  })
})

const side = { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25044.1 }
const snapshot: DepthSnapshot = { price: 2682.5, timestamp: 0, buy: side, sell: side }

describe('encodeDepth (section 2.1)', () => {
  it('writes the documented fields, with all digits of the quantities', () => {
    const text = '{"total_quantity":9336472979533427000,"total_quantity_usd":25044.1}'
    expect(encodeDepth(snapshot)).toBe(`{"price":2682.5,"timestamp":0,"buy":${text},"sell":${text}}`)
  })

  it('writes what decodeDepth decodes to the same depth, also by its fast path', () => {
    fc.assert(
      fc.property(encodedDepth, ({ value }) => {
        expect(decodeDepth(encodeDepth(value))).toStrictEqual(right(value))
        expect(recogniseDepth(encodeDepth(value))).toStrictEqual(value)
      }),
    )
  })

  it.each([
    ['price', 5e-324],
    ['price', Number.MAX_VALUE],
    ['timestamp', -0],
    ['timestamp', -1],
    ['timestamp', Number.MAX_SAFE_INTEGER],
  ])('keeps a %s of %d', (field, value) => {
    const unusual = { ...snapshot, [field]: value }
    expect(decodeDepth(encodeDepth(unusual))).toStrictEqual(right(unusual))
  })

  it('keeps quantities and totals at the edges of their ranges', () => {
    for (const totalQuantityUsd of [0, -0, 1e-7, 1e21, Number.MAX_VALUE]) {
      for (const totalQuantity of [0n, 2n ** 64n, 10n ** 40n, 10n ** 5000n - 1n]) {
        const unusual = { ...snapshot, sell: { totalQuantity, totalQuantityUsd } }
        expect(decodeDepth(encodeDepth(unusual))).toStrictEqual(right(unusual))
      }
    }
  })

  it('leaves out the mint and the time of receipt', () => {
    const { mint, receivedAt, ...rest } = depth('0xab', snapshot)
    expect(decodeDepth(encodeDepth({ mint, receivedAt, ...rest } as DepthSnapshot))).toEqual(right(rest))
  })

  it.each<[string, object]>([
    ['price', { price: NaN }],
    ['price', { price: Infinity }],
    ['price', { price: 0 }],
    ['price', { price: '1' }],
    ['timestamp', { timestamp: 1.5 }],
    ['timestamp', { timestamp: NaN }],
    ['buy.totalQuantity', { buy: { ...side, totalQuantity: -1n } }],
    ['sell.totalQuantity', { sell: { ...side, totalQuantity: 1 } }],
    ['buy.totalQuantityUsd', { buy: { ...side, totalQuantityUsd: Infinity } }],
    ['sell.totalQuantityUsd', { sell: { ...side, totalQuantityUsd: -1 } }],
  ])('throws a ConfigurationError for an invalid %s: %o', (path, fields) => {
    const encode = () => encodeDepth({ ...snapshot, ...fields })
    expect(encode).toThrow(ConfigurationError)
    expect(encode).toThrow(new RegExp(`^depth\\.${path}: expected an? `))
  })
})
