import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PriceFrames } from '../../../../src/wire/codec/fast-path.js'
import { readFrame } from '../../../../src/wire/codec/price-frame.js'
import { isPriceValue } from '../../../../src/base/domain/valid-numbers.js'
import { caseCount, isLong } from '../../../support/run/long.js'

/** Recognises a text inside a larger buffer. Returns its value and price. */
const recogniseIn = <V>(
  frames: PriceFrames<V>,
  text: string,
  offset = 0,
): readonly [V, number] | undefined => {
  const bytes = Buffer.from(`${'x'.repeat(offset)}${text}]`)
  const value = frames.recognise(bytes, offset, bytes.length - 1)
  return value === undefined ? undefined : [value, frames.price]
}

const update = (topic: string, price: string): string => `{"topic":"${topic}","price":${price}}`

const framesOf = (...topics: readonly string[]): PriceFrames<string> => {
  const frames = new PriceFrames<string>()
  for (const topic of topics) frames.learn(update(topic, '1'), topic)
  return frames
}

describe('PriceFrames', () => {
  it('recognises an update with a learned pattern at any offset', () => {
    const frames = framesOf('svc-0xa', 'svc-0xb', 'svc-0xB')
    for (let offset = 0; offset < 9; offset++) {
      expect(recogniseIn(frames, update('svc-0xb', '12.5'), offset)).toEqual(['svc-0xb', 12.5])
      expect(recogniseIn(frames, update('svc-0xB', '3'), offset)).toEqual(['svc-0xB', 3])
    }
  })

  it('distinguishes 20 000 patterns', () => {
    const topics = Array.from({ length: 20_000 }, (_, index) => `svc-0x${index.toString(16)}-0xfeed`)
    const frames = framesOf(...topics)
    for (const [index, topic] of topics.entries()) {
      expect(recogniseIn(frames, update(topic, `${index + 1}`))).toEqual([topic, index + 1])
    }
  })

  it.each(['1e3', '1.5E-2', '12e+1', '1234567890123456', '2682.5049999999997', '0.00000000000000001'])(
    'recognises a price of %s',
    (price) => {
      expect(recogniseIn(framesOf('svc-0xa'), update('svc-0xa', price))).toEqual(['svc-0xa', Number(price)])
    },
  )

  it('recognises a spaced layout only if it was learned', () => {
    const frames = new PriceFrames<string>()
    frames.learn('{ "topic" : "svc-0xa",\t"price": 1}', 'spaced')
    expect(recogniseIn(frames, '{ "topic" : "svc-0xa",\t"price": 2.25}')).toEqual(['spaced', 2.25])
    expect(recogniseIn(frames, update('svc-0xa', '2.25'))).toBeUndefined()
  })

  it('does not recognise a forgotten pattern, but others with the same hash', () => {
    const frames = new PriceFrames<number>()
    const text = update('svc-0xa', '1')
    // Equal patterns have the same hash.
    const [one, two, three] = [1, 2, 3].map((value) => frames.learn(text, value)!)
    frames.forget(two!)
    expect(recogniseIn(frames, text)).toEqual([3, 1])
    frames.forget(three!)
    expect(recogniseIn(frames, text)).toEqual([1, 1])
    frames.forget(one!)
    expect(recogniseIn(frames, text)).toBeUndefined()
  })
})

describe('PriceFrames does not learn', () => {
  it('a frame of more than 1024 characters', () => {
    const padded = (length: number) =>
      `{"topic":"svc-0xa","price":1}`.replace(':1', `:${' '.repeat(length - 29)}1`)
    expect(padded(1024)).toHaveLength(1024)
    expect(new PriceFrames<number>().learn(padded(1024), 1)).toBeDefined()
    expect(new PriceFrames<number>().learn(padded(1025), 1)).toBeUndefined()
  })

  it.each([
    ['reversed fields', '{"price":1,"topic":"svc-0xa"}'],
    ['an extra field', '{"topic":"svc-0xa","price":1,"at":2}'],
    ['a space before the brace', '{"topic":"svc-0xa","price":1 }'],
    ['an escape', '{"topic":"svc-0x\\u0061","price":1}'],
    ['a non-ASCII topic', '{"topic":"svc-0xä","price":1}'],
    ['a duplicate topic', '{"topic":"svc-0xb","topic":"svc-0xa","price":1}'],
  ])('%s', (_, text) => {
    expect(new PriceFrames<number>().learn(text, 1)).toBeUndefined()
  })
})

describe('PriceFrames does not recognise', () => {
  const invalidPrices = [
    '0',
    '0.0',
    '-1',
    '01',
    '1.',
    '.5',
    '',
    '1.2.3',
    '0x1',
    '1e400',
    '1e-400',
    '1e',
    '1e+-2',
    '01e2',
    '00000000000000001',
    '-1234567890123456.5',
    '1,2',
  ]
  it.each(['"1"', 'null', '1 ', ...invalidPrices])('a price of %s', (price) => {
    expect(recogniseIn(framesOf('svc-0xa'), update('svc-0xa', price))).toBeUndefined()
  })

  it.each(['', '}', '1}', '{}', '[]', '1', 'Invalid request', '{"subscriptions":[]}'])(
    'the text "%s"',
    (text) => {
      expect(recogniseIn(framesOf('svc-0xa'), text)).toBeUndefined()
    },
  )
})

/** Any JSON number: of either sign, zero, too large or too small for a double, and with more digits than it holds. */
const jsonNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?$/),
  fc.stringMatching(/^-?0(?:\.0{1,18})?(?:[eE][+-]?\d)?$/),
)

describe('PriceFrames and isPriceValue', () => {
  it('accept the same JSON numbers as prices', () => {
    const frames = framesOf('svc-0xa')
    let accepted = 0
    fc.assert(
      fc.property(jsonNumber, (text) => {
        const price: unknown = JSON.parse(text)
        const expected = isPriceValue(price) ? ['svc-0xa', price] : undefined
        expect(recogniseIn(frames, update('svc-0xa', text))).toEqual(expected)
        if (expected !== undefined) accepted++
      }),
      { numRuns: caseCount(20_000) },
    )
    expect(accepted).toBeGreaterThan(caseCount(4_000))
  })
})

// Differential test: a recognised frame has the topic and the price that the slow path returns.

const topics = ['svc-0xab', 'svc-0xAB', 'svc-0xabc', 'svc-0xab-0xdef', 'acme-0xab'] as const

const integer = fc.oneof(fc.nat().map(String), fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String))
const priceText = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(12))
    .map(([value, digits]) => value.toFixed(digits)),
  fc.tuple(integer, fc.stringMatching(/^\d{0,20}$/)).map(([whole, part]) => `${whole}.${part}`),
  fc.stringMatching(/^-?\d{0,18}\.?\d{0,9}(?:[eE][+-]?\d{1,3})?$/),
  integer,
)

const frame = fc
  .record({ topic: fc.constantFrom(...topics), price: priceText, shape: fc.nat(6) })
  .map(({ topic, price, shape }) => {
    switch (shape) {
      case 0:
        return `{"price":${price},"topic":"${topic}"}`
      case 1:
        return `{"topic": "${topic}", "price": ${price}}`
      case 2:
        return `{"topic":"${topic}","price":${price},"price":1}`
      case 3:
        return `{"topic":"${topic.replace('s', '\\u0073')}","price":${price}}`
      default:
        return update(topic, price)
    }
  })

/** A frame with one byte changed, removed, inserted or duplicated. */
const mutatedBytes = fc
  .record({ text: frame, at: fc.nat(200), how: fc.nat(3), byte: fc.nat(255) })
  .map(({ text, at, how, byte }) => {
    const bytes = [...Buffer.from(text)]
    const from = at % bytes.length
    if (how === 0) bytes[from] = byte
    else if (how === 1) bytes.splice(from, 1)
    else if (how === 2) bytes.splice(from, 0, byte)
    else bytes.splice(from, 0, bytes[from] ?? 0)
    return Buffer.from(bytes)
  })

describe('the fast path for prices', () => {
  const frames = new PriceFrames<string>()
  for (const topic of topics) {
    frames.learn(update(topic, '1'), topic)
    frames.learn(`{"topic": "${topic}", "price": 1}`, topic)
  }
  let fast = 0

  const agrees = (bytes: Buffer): void => {
    const topic = frames.recognise(bytes, 0, bytes.length)
    if (topic === undefined) return
    fast++
    const slow = readFrame(bytes.toString())
    if (slow._tag !== 'PriceUpdate' || slow.topic !== topic || !Object.is(slow.price, frames.price)) {
      throw new Error(`${bytes.toString()}: ${topic} at ${frames.price}, but ${JSON.stringify(slow)}`)
    }
  }

  it('returns the result of the slow path for generated frames', () => {
    fc.assert(
      fc.property(frame, (text) => agrees(Buffer.from(text))),
      { numRuns: caseCount(100_000) },
    )
    // A minimum share must take the fast path, so that it cannot become unused without notice.
    expect(fast).toBeGreaterThan(caseCount(10_000))
  })

  it('returns the result of the slow path for mutated frames', () => {
    fc.assert(fc.property(mutatedBytes, agrees), { numRuns: caseCount(100_000) })
  })

  it('returns the result of the slow path for prices of up to six digits, with every position of the point', () => {
    for (let value = 1; value < 1_000_000; value += isLong ? 7 : 97) {
      for (let decimals = 0; decimals <= 8; decimals++) {
        const digits = String(value).padStart(decimals + 1, '0')
        const text =
          decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(digits.length - decimals)}`
        const bytes = Buffer.from(update('svc-0xab', text))
        if (frames.recognise(bytes, 0, bytes.length) === undefined || frames.price !== Number(text)) {
          throw new Error(`${text} is not ${frames.price}`)
        }
      }
    }
  })
})
