import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { decodeDepth, decodeDepthSlowPath, recogniseDepth } from '../../../src/wire/codec/depth.js'
import type { DepthSnapshot } from '../../../src/base/domain/depth.js'
import { anyText, mutate, encodedDepth } from '../../support/arbitraries.js'
import { caseCount } from '../../support/run/long.js'

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
  usd: '25.5',
}

const sideOf = (quantity: string, usd: string): string =>
  `{"total_quantity":${quantity},"total_quantity_usd":${usd}}`

const bodyOf = (texts: Partial<Texts> = {}): string => {
  const { price, timestamp, quantity, usd } = { ...good, ...texts }
  return `{"price":${price},"timestamp":${timestamp},"buy":${sideOf('1', '2')},"sell":${sideOf(quantity, usd)}}`
}

const snapshot: DepthSnapshot = {
  price: 2682.5,
  timestamp: 1745462597105,
  buy: { totalQuantity: 1n, totalQuantityUsd: 2 },
  sell: { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25.5 },
}

const spaced = (text: string): string => text.replace(/[:,]/g, '$& ')

describe('recogniseDepth', () => {
  it('decodes a body in the documented layout, compact or with single spaces', () => {
    expect(recogniseDepth(bodyOf())).toEqual(snapshot)
    expect(recogniseDepth(spaced(bodyOf()))).toEqual(snapshot)
  })

  it.each<[keyof Texts, string]>([
    ['price', '1e3'],
    ['price', '1.50E-07'],
    ['timestamp', '0'],
    ['timestamp', '1.0'],
    ['timestamp', '-0'],
    ['quantity', '0'],
    ['quantity', '9'.repeat(5000)],
    ['usd', '-0.0e+1'],
    ['usd', '12345678901234567890.12345678901234567890'],
  ])('decodes a body with a %s of %s', (field, json) => {
    const text = bodyOf({ [field]: json })
    expect(recogniseDepth(text)).toBeDefined()
    expect(right(recogniseDepth(text))).toStrictEqual(decodeDepthSlowPath(text))
  })
})

describe('recogniseDepth returns undefined for', () => {
  const body = bodyOf()
  it.each([
    ['a byte order mark', `\ufeff${body}`],
    ['a trailing line break', `${body}\n`],
    ['two spaces', body.replace(':', ':  ')],
    ['a space before a colon', body.replace(':', ' :')],
    ['a tab', body.replace(',', ',\t')],
    ['another order', body.replace(/("price":[^,]*),("timestamp":[^,]*)/, '$2,$1')],
    ['an extra field', body.replace(/}$/, ',"at":1}')],
    ['an extra field in a side', body.replace('}', ',"at":1}')],
    ['a duplicate field', body.replace('{', '{"price":1,')],
    ['a missing field', body.replace(/"timestamp":\d*,/, '')],
    ['an escape', body.replace('price', 'pric\\u0065')],
    ['a capitalised name', body.replace('price', 'Price')],
    ['__proto__', body.replace('{', '{"__proto__":{},')],
    ['two bodies', body + body],
  ])('%s', (_, text) => {
    expect(recogniseDepth(text)).toBeUndefined()
  })

  const invalidNumbers = [
    '',
    '-',
    '+1',
    '01',
    '-01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1.e1',
    '0x10',
    '1_0',
    '1n',
    ' 1',
    '1 ',
    '١',
  ]
  const fields: readonly (keyof Texts)[] = ['price', 'timestamp', 'quantity', 'usd']
  const others = ['"1"', 'null', 'true', 'NaN', 'Infinity', '[]', '{}']
  it.each(fields.flatMap((field) => [...invalidNumbers, ...others].map((json) => [field, json] as const)))(
    'a %s that is not a JSON number: %s',
    (field, json) => {
      // The layout allows one space after a colon.
      expect(recogniseDepth(bodyOf({ [field]: json === ' 1' ? '  1' : json }))).toBeUndefined()
    },
  )

  it.each<[keyof Texts, string]>([
    ['price', '0'],
    ['price', '-0.0'],
    ['price', '-1'],
    ['price', '1e-400'],
    ['price', '1e400'],
    ['timestamp', '1.5'],
    ['timestamp', '9007199254740992'],
    ['timestamp', '1e400'],
    ['quantity', '-0'],
    ['quantity', '-1'],
    ['quantity', '1.0'],
    ['quantity', '1e3'],
    ['usd', '-0.01'],
    ['usd', '1e400'],
  ])('a %s of %s', (field, json) => {
    expect(recogniseDepth(bodyOf({ [field]: json }))).toBeUndefined()
  })
})

// Differential test: for any text, `decodeDepth` and the fast path return the result of the slow path.

const sameSide = (one: DepthSnapshot['buy'], other: DepthSnapshot['buy']): boolean =>
  one.totalQuantity === other.totalQuantity && Object.is(one.totalQuantityUsd, other.totalQuantityUsd)

const same = (one: DepthSnapshot, other: DepthSnapshot): boolean =>
  Object.is(one.price, other.price) &&
  Object.is(one.timestamp, other.timestamp) &&
  sameSide(one.buy, other.buy) &&
  sameSide(one.sell, other.sell)

/** Compares both paths. Returns true if the text takes the fast path. */
const agrees = (text: string): boolean => {
  const fast = recogniseDepth(text)
  const slow = decodeDepthSlowPath(text)
  const decoded = decodeDepth(text)
  if (isLeft(slow)) {
    if (fast === undefined && isLeft(decoded) && decoded.left.message === slow.left.message) return false
  } else if (!isLeft(decoded) && same(decoded.right, slow.right) && same(fast ?? slow.right, slow.right)) {
    return fast !== undefined
  }
  throw new Error(`fast and slow path differ: ${text}`)
}

const numberText = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }).map(String),
  },
  {
    weight: 8,
    arbitrary: fc.tuple(fc.integer({ min: 1 }), fc.nat(12)).map(([value, digits]) => value.toFixed(digits)),
  },
  { weight: 8, arbitrary: fc.stringMatching(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[+-]?\d{0,18}\.?\d{0,9}(?:[eE][+-]?\d{0,3})?$/) },
  { weight: 1, arbitrary: fc.constantFrom('0', '-0', '0.0', '-0e1', '1e308', '1e309', '5e-324', '2e-324') },
)
const integer = fc.oneof(
  { weight: 20, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 20n), max: 2n ** 54n }).map(String) },
  { weight: 1, arbitrary: fc.nat(999).map((length) => '9'.repeat(length)) },
  { weight: 1, arbitrary: fc.stringMatching(/^-?\d{1,9}(?:\.0{1,3})?(?:[eE]\+?\d)?$/) },
)
const notANumber = fc.constantFrom('null', 'true', '[]', '{}', '""', '"x"', '1 ', 'NaN', '0x1', '')

/** Mostly the number itself, sometimes a string or another value. */
const valueOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 80, arbitrary: texts },
    { weight: 1, arbitrary: texts.map((text) => `"${text}"`) },
    { weight: 1, arbitrary: notANumber },
  )

const mostlyOf = (usual: readonly string[], others: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...others))

const colon = mostlyOf([':', ': '], [' :', ':  ', ':\t'])
const comma = mostlyOf([',', ', '], [' ,', ',\n  ', ',,'])
const name = fc.constantFrom('__proto__', 'price', 'buy', 'total_quantity', 'total_quantity_usd', 'Price', '')
const extra = fc.tuple(name, fc.constantFrom('null', '{}', '1', '2.5', '{"price":1}', sideOf('1', '2')))

/** A body in the documented order, or reversed, or with a duplicate, extra or missing field. */
const body = fc
  .record({
    price: valueOf(numberText),
    timestamp: valueOf(fc.oneof({ weight: 8, arbitrary: fc.maxSafeNat().map(String) }, integer)),
    quantities: fc.tuple(valueOf(integer), valueOf(integer)),
    usds: fc.tuple(valueOf(numberText), valueOf(numberText)),
    extra,
    shape: fc.nat(60),
    colon,
    comma,
  })
  .map(({ price, timestamp, quantities, usds, extra, shape, colon, comma }) => {
    const objectOf = (entries: (readonly [string, string])[], from: number): string => {
      if (shape === from + 1) entries.reverse()
      else if (shape === from + 2) entries.unshift(extra)
      else if (shape === from + 3) entries.push(extra)
      else if (shape === from + 4) entries.pop()
      return `{${entries.map(([name, json]) => `"${name}"${colon}${json}`).join(comma)}}`
    }
    const sideOf = (of: 0 | 1, from: number): string =>
      objectOf(
        [
          ['total_quantity', quantities[of]],
          ['total_quantity_usd', usds[of]],
        ],
        from,
      )
    return objectOf(
      [
        ['price', price],
        ['timestamp', timestamp],
        ['buy', sideOf(0, 4)],
        ['sell', sideOf(1, 8)],
      ],
      0,
    )
  })

/** A replacement byte, often one that occurs in JSON. */
const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('0123456789.eE+-",:{} \\')))

/** A body with one byte changed, removed, inserted or duplicated. */
const mutatedBytes = fc.tuple(body, fc.nat(), fc.nat(3), byte).map(([text, at, how, other]) => {
  const bytes = [...Buffer.from(text)]
  const from = at % bytes.length
  if (how === 0) bytes[from] = other
  else if (how === 1) bytes.splice(from, 1)
  else if (how === 2) bytes.splice(from, 0, other)
  else bytes.splice(from, 0, bytes[from] ?? 0)
  return Buffer.from(bytes).toString()
})

/** Compares both paths for generated texts. Returns the number of texts that take the fast path. */
const countFast = (texts: fc.Arbitrary<string>, numRuns: number): number => {
  let fast = 0
  fc.assert(
    fc.property(texts, (text) => {
      if (agrees(text)) fast++
    }),
    { numRuns: caseCount(numRuns) },
  )
  return fast
}

describe('the fast path returns the result of the slow path', () => {
  // A minimum share must take the fast path, so that it cannot become unused without notice.
  it('for generated bodies', () => expect(countFast(body, 100_000)).toBeGreaterThan(caseCount(20_000)))

  it('for mutated bodies', () => expect(countFast(mutatedBytes, 50_000)).toBeGreaterThan(caseCount(3000)))

  it('for bodies in any order, with extra fields, mutated, and for any text', () => {
    countFast(
      fc.oneof(
        encodedDepth.map(({ text }) => text),
        encodedDepth.chain(({ text }) => mutate(text)),
        anyText,
      ),
      2000,
    )
  })

  const many = '1'.repeat(1 << 20)
  const halves = `${'1'.repeat(1 << 19)}.${'1'.repeat(1 << 19)}`
  const whole = bodyOf({ quantity: many })
  // If a mismatch took more than linear time, these would take days.
  it.each([
    ['digits', many],
    ['a truncated price', `{"price":${many}`],
    ['a price with a trailing letter', bodyOf({ price: `${halves}x` })],
    ['a price with two decimal points', bodyOf({ price: `${halves}.1` })],
    ['a long exponent', bodyOf({ price: `${halves}e${many}x` })],
    [
      'long numbers in all fields',
      bodyOf({ price: halves, timestamp: halves, quantity: many, usd: `${halves}x` }),
    ],
    ['a missing brace', whole.slice(0, -1)],
    ['an extra brace', `${whole}}`],
    ['spaces', bodyOf().replace(':', `:${' '.repeat(1 << 20)}`)],
    ['a million digits', whole],
    ['a million digits and a negative USD total', bodyOf({ quantity: many, usd: '-1' })],
  ])('for a mebibyte of %s', (_, text) => {
    expect(agrees(text)).toBe(text === whole)
  })
})
