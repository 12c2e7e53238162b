import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  parseAddress,
  parseTopic,
  topicOf,
  formatQuantity,
  parseQuantity,
} from '../../../src/wire/codec/arguments.js'
import { isAddress } from '../../../src/base/domain/topic.js'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { expectWellFormed, expectDecodeError } from '../../base/errors/support/well-formed.js'
import { address, anyText, mutate, service, topic, quantity } from '../../support/arbitraries.js'

describe('parseAddress', () => {
  it('returns an address unchanged', () => {
    fc.assert(
      fc.property(address, (text) => {
        expect(parseAddress(text)).toEqual(right(text))
      }),
    )
  })

  it('returns an address or an InvalidMint for any value, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, address.chain(mutate), fc.anything()), (value) => {
        const parsed = parseAddress(value as string)
        expect(isLeft(parsed)).toBe(!isAddress(value))
        if (isLeft(parsed)) expectWellFormed(parsed.left)
      }),
    )
  })

  it.each(['', '0x', '82af', '0xzz', 'svc-0x82af', ' 0x82af', '0x82af\n'])('rejects %j', (text) => {
    expect(parseAddress(text)).toMatchObject({ left: { _tag: 'InvalidMint', mint: text } })
  })
})

describe('topicOf (section 2.2)', () => {
  it('joins the service, a hyphen and the unchanged address', () => {
    fc.assert(
      fc.property(address, service, (base, name) => {
        expect(topicOf(base)).toEqual(right(`svc-${base}`))
        expect(topicOf(base, name)).toEqual(right(`${name}-${base}`))
      }),
    )
  })

  it('returns a topic that parseTopic accepts', () => {
    fc.assert(
      fc.property(fc.oneof(address, anyText), service, (base, name) => {
        const made = topicOf(base, name)
        if (isLeft(made)) expectWellFormed(made.left)
        else expect(parseTopic(made.right, name)).toEqual(made)
      }),
    )
  })

  it.each(['', '0x', '82af', '0xzz', '0x82af-0x1', 'svc-0x82af', ' 0x82af'])('rejects %j', (text) => {
    expect(topicOf(text)).toMatchObject({ left: { _tag: 'InvalidTopic', topic: `svc-${text}` } })
  })
})

describe('parseTopic (section 2.2)', () => {
  it('returns the text unchanged', () => {
    fc.assert(
      fc.property(topic, (text) => {
        expect(parseTopic(text)).toEqual(right(text))
      }),
    )
  })

  it('rejects a topic of another service', () => {
    expect(parseTopic('acme-0xab')).toMatchObject({ left: { _tag: 'InvalidTopic', topic: 'acme-0xab' } })
    expect(parseTopic('acme-0xab', 'acme')).toEqual(right('acme-0xab'))
    expect(parseTopic('svc-0xab', 'acme')).toMatchObject({
      left: { message: 'expected a topic like acme-0x82af…, got "svc-0xab"' },
    })
  })

  it('returns the text or an InvalidTopic, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, topic.chain(mutate)), service, (text, name) => {
        const parsed = parseTopic(text, name)
        if (isLeft(parsed)) {
          expect(parsed.left).toMatchObject({ _tag: 'InvalidTopic', topic: text })
          expectWellFormed(parsed.left)
        } else {
          expect(parsed.right).toBe(text)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never throws for a value of any type', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const parsed = parseTopic(value as string)
        if (isLeft(parsed)) expectWellFormed(parsed.left)
      }),
    )
  })
})

const decimals = fc.oneof(fc.constantFrom(0, 1, 6, 8, 18, 255), fc.integer({ min: 0, max: 255 }))
const anyQuantity = fc.bigInt({ min: -(10n ** 300n), max: 10n ** 300n })

/** An independent definition: integer division by a power of ten. */
const divided = (units: bigint, places: number): string => {
  const unit = 10n ** BigInt(places)
  const absolute = units < 0n ? -units : units
  const digits = Array.from({ length: places }, (_, at) => (absolute / 10n ** BigInt(places - 1 - at)) % 10n)
  while (digits.at(-1) === 0n) digits.pop()
  return `${units < 0n ? '-' : ''}${absolute / unit}${digits.length === 0 ? '' : `.${digits.join('')}`}`
}

/** An independent definition: a state machine over the characters. `undefined` for an invalid text. */
const accumulated = (text: string, places: number): bigint | undefined => {
  let units = 0n
  let [whole, fraction, hasPoint] = [0, 0, false]
  for (const character of text) {
    const digit = '0123456789'.indexOf(character)
    if (character === '.' && !hasPoint && whole > 0) hasPoint = true
    else if (digit < 0) return undefined
    else {
      units = units * 10n + BigInt(digit)
      if (hasPoint) fraction++
      else whole++
    }
  }
  const isComplete = whole > 0 && hasPoint === fraction > 0 && fraction <= places
  return isComplete ? units * 10n ** BigInt(places - fraction) : undefined
}

describe('formatQuantity', () => {
  it.each([
    [50_973_900_000_000_000_000n, 18, '50.9739'],
    [0n, 18, '0'],
    [0n, 0, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [10n ** 21n, 18, '1000'],
    [1_050n, 2, '10.5'],
    [12n, 0, '12'],
    [120n, 0, '120'],
    [-5n, 2, '-0.05'],
    [-100n, 2, '-1'],
    [1n, 255, `0.${'0'.repeat(254)}1`],
  ])('formats %d units with %d decimals as %s', (units, places, text) => {
    expect(formatQuantity(units, places)).toBe(text)
  })

  it('is the quotient by a power of ten, exact to the last digit', () => {
    fc.assert(
      fc.property(anyQuantity, decimals, (units, places) => {
        expect(formatQuantity(units, places)).toBe(divided(units, places))
      }),
    )
  })

  it.each([-1, 256, 1.5, NaN, Infinity, '18', undefined, null, 18n])('throws for %o decimals', (value) => {
    const problem = new ConfigurationError('decimals', 'expected a whole number from 0 to 255')
    expect(() => formatQuantity(1n, value as number)).toThrow(problem)
    expect(() => parseQuantity('1', value as number)).toThrow(problem)
  })

  it.each([1, '1', undefined, {}])('throws for the quantity %o', (value) => {
    expect(() => formatQuantity(value as bigint, 18)).toThrow(
      new ConfigurationError('quantity', 'expected a bigint'),
    )
  })
})

describe('parseQuantity', () => {
  it('returns the quantity that formatQuantity formats', () => {
    fc.assert(
      fc.property(quantity, decimals, (units, places) => {
        expect(parseQuantity(formatQuantity(units, places), places)).toEqual(right(units))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['0', 18, 0n],
    ['0.0', 18, 0n],
    ['007', 2, 700n],
    ['1.5', 1, 15n],
    ['1.50', 2, 150n],
    ['0.000000000000000001', 18, 1n],
    ['123456789012345678901234567890', 0, 123_456_789_012_345_678_901_234_567_890n],
  ])('reads %j with %d decimals as %d units', (text, places, units) => {
    expect(parseQuantity(text, places)).toEqual(right(units))
  })

  it('accepts digits, optionally a point and 1 to `decimals` digits, and nothing else', () => {
    const digits = fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), maxLength: 30 })
    const almost = fc.tuple(digits, fc.constantFrom('', '.', '.', '..', ',', 'e', '-'), digits)
    const text = fc.oneof(
      almost.map((parts) => parts.join('')),
      anyText,
      fc.tuple(quantity, decimals).chain(([units, places]) => mutate(formatQuantity(units, places))),
    )
    fc.assert(
      fc.property(text, decimals, (input, places) => {
        const parsed = parseQuantity(input, places)
        if (isLeft(parsed)) expectDecodeError(parsed.left, input)
        expect(isLeft(parsed) ? undefined : parsed.right).toBe(accumulated(input, places))
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    '.5',
    '1.',
    '1e3',
    '1E3',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '1,000',
    '1.000.000',
    '0x10',
    '1n',
    'Infinity',
    '١',
    '１',
    '0.0000000000000000001',
  ])('rejects %j', (text) => {
    const issue = { path: '', expected: 'digits, optionally "." and 1 to 18 digits' }
    expect(parseQuantity(text, 18)).toMatchObject({ left: { _tag: 'DecodeError', issues: [issue] } })
  })

  it.each([
    [0, '1.0', 'quantity: expected digits, got "1.0"'],
    [1, '1.00', 'quantity: expected digits, optionally "." and 1 digit, got "1.00"'],
    [2, '1.000', 'quantity: expected digits, optionally "." and 1 to 2 digits, got "1.000"'],
  ])('describes what %d decimals allow', (places, text, message) => {
    expect(parseQuantity(text, places)).toMatchObject({ left: { message } })
  })

  it('returns a Left for a value of any other type', () => {
    fc.assert(
      fc.property(
        fc.anything().filter((value) => typeof value !== 'string'),
        (value) => {
          const parsed = parseQuantity(value as string, 18)
          expect(isLeft(parsed)).toBe(true)
          if (isLeft(parsed)) expectWellFormed(parsed.left)
        },
      ),
    )
  })

  it('takes linear time for a million digits before an invalid character', () => {
    // Quadratic time would not end.
    for (const digits of ['0', '9', '0.', '1.'].map((start) => start.padEnd(1_000_000, '0'))) {
      expect(isLeft(parseQuantity(`${digits}x`, 255))).toBe(true)
    }
    expect(parseQuantity('0'.repeat(1_000_000), 0)).toEqual(right(0n))
    expect(parseQuantity(formatQuantity(10n ** 100_000n + 7n, 18), 18)).toEqual(right(10n ** 100_000n + 7n))
  })
})
