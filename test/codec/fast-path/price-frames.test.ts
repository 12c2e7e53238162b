import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PriceFrames } from '../../../src/codec/fast-path/price-frames.js'
import { readFrame } from '../../../src/codec/price-frame.js'

/** What is recognised in a text that lies somewhere in a larger piece of memory. */
const recognised = <V>(
  frames: PriceFrames<V>,
  text: string,
  offset = 0,
): readonly [V, number] | undefined => {
  const bytes = Buffer.from(`${'x'.repeat(offset)}${text}]`)
  const value = frames.recognise(bytes, offset, bytes.length - 1)
  return value === undefined ? undefined : [value, frames.price]
}

const update = (topic: string, price: string): string => `{"topic":"${topic}","price":${price}}`

const learned = (...topics: readonly string[]): PriceFrames<string> => {
  const frames = new PriceFrames<string>()
  for (const topic of topics) frames.learn(update(topic, '1'), topic)
  return frames
}

describe('a price update that looks like one that was learned', () => {
  it('is recognised, wherever it lies', () => {
    const frames = learned('svc-0xa', 'svc-0xb', 'svc-0xB')
    for (let offset = 0; offset < 9; offset++) {
      expect(recognised(frames, update('svc-0xb', '12.5'), offset)).toEqual(['svc-0xb', 12.5])
      expect(recognised(frames, update('svc-0xB', '3'), offset)).toEqual(['svc-0xB', 3])
    }
  })

  it('is told from all others, however many there are', () => {
    const topics = Array.from({ length: 20_000 }, (_, index) => `svc-0x${index.toString(16)}-0xfeed`)
    const frames = learned(...topics)
    for (const [index, topic] of topics.entries()) {
      expect(recognised(frames, update(topic, `${index + 1}`))).toEqual([topic, index + 1])
    }
  })

  it.each(['1e3', '1.5E-2', '12e+1', '1234567890123456', '2682.5049999999997', '0.00000000000000001'])(
    'may have a price like %s',
    (price) => {
      expect(recognised(learned('svc-0xa'), update('svc-0xa', price))).toEqual(['svc-0xa', Number(price)])
    },
  )

  it('may be written with spaces', () => {
    const frames = new PriceFrames<string>()
    frames.learn('{ "topic" : "svc-0xa",\t"price": 1}', 'spaced')
    expect(recognised(frames, '{ "topic" : "svc-0xa",\t"price": 2.25}')).toEqual(['spaced', 2.25])
    expect(recognised(frames, update('svc-0xa', '2.25'))).toBeUndefined()
  })

  it('is no longer once it is forgotten, while others with the same hash are', () => {
    const frames = new PriceFrames<number>()
    const text = update('svc-0xa', '1')
    // Learned three times over, the same bytes surely have the same hash.
    const [one, two, three] = [1, 2, 3].map((value) => frames.learn(text, value)!)
    frames.forget(two!)
    expect(recognised(frames, text)).toEqual([3, 1])
    frames.forget(three!)
    expect(recognised(frames, text)).toEqual([1, 1])
    frames.forget(one!)
    expect(recognised(frames, text)).toBeUndefined()
  })

  it('is no longer once all is cleared, and may be learned again', () => {
    const frames = learned('svc-0xa', 'svc-0xb')
    frames.clear()
    expect(recognised(frames, update('svc-0xa', '1'))).toBeUndefined()
    frames.learn(update('svc-0xa', '1'), 'again')
    expect(recognised(frames, update('svc-0xa', '1'))).toEqual(['again', 1])
  })
})

describe('what cannot be learned', () => {
  it.each([
    ['the other order', '{"price":1,"topic":"svc-0xa"}'],
    ['one field more', '{"topic":"svc-0xa","price":1,"at":2}'],
    ['a space before the brace', '{"topic":"svc-0xa","price":1 }'],
    ['an escape', '{"topic":"svc-0x\\u0061","price":1}'],
    ['what is not ASCII', '{"topic":"svc-0xä","price":1}'],
    ['the topic twice', '{"topic":"svc-0xb","topic":"svc-0xa","price":1}'],
  ])('is %s', (_, text) => {
    expect(new PriceFrames<number>().learn(text, 1)).toBeUndefined()
  })
})

describe('what goes the long way', () => {
  const odd = [
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
  it.each(['"1"', 'null', '1 ', ...odd])('is a price like %s', (price) => {
    expect(recognised(learned('svc-0xa'), update('svc-0xa', price))).toBeUndefined()
  })

  it.each(['', '}', '1}', '{}', '[]', '1', 'Invalid request', '{"subscriptions":[]}'])('is "%s"', (text) => {
    expect(recognised(learned('svc-0xa'), text)).toBeUndefined()
  })
})

// The law: what is recognised is exactly what the long way makes of it. What is not recognised takes the long way.

const topics = ['svc-0xab', 'svc-0xAB', 'svc-0xabc', 'svc-0xab-0xdef', 'acme-0xab'] as const

const integer = fc.oneof(fc.nat().map(String), fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String))
const spelling = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(12))
    .map(([value, digits]) => value.toFixed(digits)),
  fc.tuple(integer, fc.stringMatching(/^\d{0,20}$/)).map(([whole, part]) => `${whole}.${part}`),
  fc.stringMatching(/^-?\d{0,18}\.?\d{0,9}(?:[eE][+-]?\d{1,3})?$/),
  integer,
)

const frame = fc
  .record({ topic: fc.constantFrom(...topics), price: spelling, shape: fc.nat(6) })
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

/** A frame with a byte changed, left out, put in, or said twice. */
const mutilated = fc
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

describe('whatever comes', () => {
  const frames = new PriceFrames<string>()
  for (const topic of topics) {
    frames.learn(update(topic, '1'), topic)
    frames.learn(`{"topic": "${topic}", "price": 1}`, topic)
  }
  let quick = 0

  const agrees = (bytes: Buffer): void => {
    const found = frames.recognise(bytes, 0, bytes.length)
    if (found === undefined) return
    quick++
    const slow = readFrame(bytes.toString())
    if (slow._tag !== 'PriceUpdate' || slow.topic !== found || !Object.is(slow.price, frames.price)) {
      throw new Error(`${bytes.toString()}: ${found} at ${frames.price}, but ${JSON.stringify(slow)}`)
    }
  }

  it('is what the long way makes of it, if it is recognised: generated', () => {
    fc.assert(
      fc.property(frame, (text) => agrees(Buffer.from(text))),
      { numRuns: 100_000 },
    )
    // The short way must not rot in silence.
    expect(quick).toBeGreaterThan(10_000)
  })

  it('is what the long way makes of it, if it is recognised: mutilated', () => {
    fc.assert(fc.property(mutilated, agrees), { numRuns: 100_000 })
  })

  it('is what the long way makes of it: each price of up to six digits and each place of the point', () => {
    for (let value = 1; value < 1_000_000; value += 7) {
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
