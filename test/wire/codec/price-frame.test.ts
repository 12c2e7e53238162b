import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { OptionalPosition } from '../../../src/backtest/recording/codec/value-codecs.js'
import {
  decodeFrame,
  PriceUpdate,
  readFrame,
  SubscriptionConfirmation,
  subscribeFrame,
  unsubscribeFrame,
} from '../../../src/wire/codec/price-frame.js'
import { expectDecodeError } from '../../base/errors/support/well-formed.js'
import {
  anyText,
  deepText,
  mutate,
  priceText,
  priceValue,
  topic,
  builtInPropertyName,
} from '../../support/arbitraries.js'
import { frameTexts } from './support/frame-texts.js'

const updateText = (name: string, price: string): string =>
  `{"topic":${JSON.stringify(name)},"price":${price}}`

describe('a position of a gateway', () => {
  const position = { run: 'k3x9-1', count: 41 }

  it('is read in a price update with or without an age, and in a confirmation', () => {
    const update = { topic: 'svc-0xab', price: 1.5, position }
    const aged = { ...update, age: 0 }
    const confirmation = { subscriptions: ['svc-0xab'], position: { topic: 'svc-0xab', ...position } }
    expect(decodeFrame(JSON.stringify(update))).toEqual(right({ _tag: 'PriceUpdate', ...update }))
    expect(decodeFrame(JSON.stringify(aged))).toEqual(right({ _tag: 'PriceUpdate', ...aged }))
    expect(decodeFrame(JSON.stringify(confirmation))).toEqual(
      right({ _tag: 'Confirmation', ...confirmation }),
    )
  })

  it('is ignored in any other form', () => {
    const other = fc.oneof(
      fc.jsonValue(),
      fc.record({ topic: fc.jsonValue(), run: fc.jsonValue(), count: fc.constant(-1) }),
      fc.record({ topic: fc.constant('svc-0xab'), run: fc.constantFrom('', 'a b', 'é'), count: fc.nat() }),
      fc.record({ topic: fc.constant('svc-0xab'), run: fc.constant('a'), count: fc.constantFrom(-1, 1.5) }),
    )
    fc.assert(
      fc.property(other, (value) => {
        const update = { topic: 'svc-0xab', price: 1.5, age: 1 }
        expect(decodeFrame(JSON.stringify({ ...update, position: value }))).toEqual(
          right({ _tag: 'PriceUpdate', ...update }),
        )
        expect(decodeFrame(JSON.stringify({ subscriptions: [], position: value }))).toEqual(
          right({ _tag: 'Confirmation', subscriptions: [] }),
        )
        expect(OptionalPosition.position.is(value)).toBe(false)
      }),
    )
  })
})

describe('a price update (section 6)', () => {
  it('decodes to the echoed topic and the price', () => {
    fc.assert(
      fc.property(fc.oneof(topic, anyText), priceValue, (name, price) => {
        expect(decodeFrame(JSON.stringify({ topic: name, price }))).toEqual(
          right({ _tag: 'PriceUpdate', topic: name, price }),
        )
      }),
    )
  })

  it('decodes every form of a price to the double that JSON.parse returns', () => {
    fc.assert(
      fc.property(topic, priceText, (name, text) => {
        const price = JSON.parse(text) as number
        const frame = decodeFrame(updateText(name, text))
        if (price > 0 && price < Infinity)
          expect(frame).toEqual(right({ _tag: 'PriceUpdate', topic: name, price }))
        else expect(isLeft(frame)).toBe(true)
      }),
    )
  })

  it('encodes and decodes to itself', () => {
    fc.assert(
      fc.property(anyText, priceValue, (name, price) => {
        const update = { topic: name, price }
        expect(PriceUpdate.is(update)).toBe(true)
        expect(PriceUpdate.decode(PriceUpdate.encode(update))).toEqual(right(update))
        expect(PriceUpdate.decode(JSON.parse(JSON.stringify(PriceUpdate.encode(update))))).toEqual(
          right(update),
        )
      }),
    )
  })

  it('may have its fields in any order, and unknown fields, which are dropped', () => {
    expect(decodeFrame(' {"at":{"x":[1]},"price":1.5,\n"topic":"svc-0xab","_tag":"X"} ')).toEqual(
      right({ _tag: 'PriceUpdate', topic: 'svc-0xab', price: 1.5 }),
    )
  })
})

describe('a subscription confirmation (section 6)', () => {
  const topics = fc.array(fc.oneof(topic, anyText), { maxLength: 20 })

  it('decodes to the echoed topics, without other fields', () => {
    fc.assert(
      fc.property(topics, (subscriptions) => {
        expect(decodeFrame(JSON.stringify({ ok: true, subscriptions }))).toEqual(
          right({ _tag: 'Confirmation', subscriptions }),
        )
      }),
    )
  })

  it('encodes and decodes to itself', () => {
    fc.assert(
      fc.property(topics, (subscriptions) => {
        const confirmation = { subscriptions }
        expect(SubscriptionConfirmation.is(confirmation)).toBe(true)
        const json = JSON.stringify(SubscriptionConfirmation.encode(confirmation))
        expect(SubscriptionConfirmation.decode(JSON.parse(json))).toEqual(right(confirmation))
      }),
    )
  })

  it('is any frame with a subscriptions field', () => {
    expect(decodeFrame('{"topic":"svc-0xab","price":1,"subscriptions":[]}')).toEqual(
      right({ _tag: 'Confirmation', subscriptions: [] }),
    )
  })

  it.each(['null', '{}', '"svc-0xab"', '[1]', '["svc-0xab",null]', '[["svc-0xab"]]'])(
    'is malformed with subscriptions of %s',
    (subscriptions) => {
      const text = `{"subscriptions":${subscriptions}}`
      const frame = readFrame(text)
      if (frame._tag !== 'Malformed') return expect.unreachable()
      expect(frame.topic).toBeUndefined()
      expect(frame.error.message).toContain('subscriptions')
      expectDecodeError(frame.error, text)
    },
  )

  it('has a short error for a hundred thousand faults', () => {
    const text = `{"subscriptions":[${'0,'.repeat(100_000)}0]}`
    const frame = decodeFrame(text)
    if (!isLeft(frame)) return expect.unreachable()
    expect(frame.left.issues[0]).toEqual({ path: 'subscriptions.0', expected: 'string', actual: '0' })
    expectDecodeError(frame.left, text)
  })

  it('is read up to its 21st fault, however many there are', () => {
    let reads = 0
    const topics = new Proxy(Array<unknown>(100_000).fill(1), {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key) as unknown
      },
    })
    const decoded = SubscriptionConfirmation.decode({ subscriptions: topics })
    expect(isLeft(decoded) && decoded.left).toHaveLength(21)
    expect(reads).toBeLessThanOrEqual(100)
  })

  it('has an error that reports 20 faults and mentions that there are more', () => {
    const errorOf = (faults: number) => {
      const decoded = decodeFrame(JSON.stringify({ subscriptions: Array<number>(faults).fill(1) }))
      return isLeft(decoded) ? decoded.left : expect.unreachable()
    }
    expect(errorOf(20).issues).toHaveLength(20)
    expect(errorOf(20).message).toMatch(/subscriptions\.19: expected string, got 1$/)
    expect(errorOf(21).issues).toEqual(errorOf(20).issues)
    expect(errorOf(21).message).toBe(`${errorOf(20).message}; and more`)
  })
})

describe('an error text (sections 6 and 7)', () => {
  it.each([
    'Invalid (exchange, base, quote) tuple',
    'Invalid (exchange, base, quote) tuple: the service does not support the pair (0xab, 0xcd)',
    'Invalid request: topic',
    'Error 42: internal',
    '',
    ' ',
    'NaN',
    'undefined',
    "{'topic':'svc-0xab'}",
    '{"topic":"svc-0xab","price":1',
    '{"topic":"svc-0xab","price":NaN}',
    '{"topic":"svc-0xab","price":1}{"topic":"svc-0xab","price":1}',
  ])('is any frame that is not JSON: %j', (text) => {
    expect(decodeFrame(text)).toEqual(right({ _tag: 'ErrorText', text }))
  })

  it('is returned unchanged', () => {
    const notJson = anyText.map((text) => `Error: ${text}`)
    fc.assert(
      fc.property(notJson, (text) => {
        expect(decodeFrame(text)).toEqual(right({ _tag: 'ErrorText', text }))
      }),
    )
  })
})

describe('a JSON frame of no known kind', () => {
  it.each([
    'null',
    'true',
    '1',
    '"svc-0xab"',
    '[]',
    '[{"topic":"svc-0xab","price":1}]',
    '{}',
    '{"price":1}',
    '{"topic":1,"price":1}',
  ])('is malformed, without a topic: %s', (text) => {
    const frame = readFrame(text)
    if (frame._tag !== 'Malformed') return expect.unreachable()
    expect(frame.topic).toBeUndefined()
    expectDecodeError(frame.error, text)
  })

  it.each(['0', '-0', '-1.5', '1e-400', '1e400', 'null', '"1.5"', '[1.5]', '{}', 'true'])(
    'is malformed, with its topic, for a price of %s (section 2.2)',
    (price) => {
      const text = updateText('svc-0xab', price)
      const frame = readFrame(text)
      if (frame._tag !== 'Malformed') return expect.unreachable()
      expect(frame.topic).toBe('svc-0xab')
      expect(frame.error.issues).toMatchObject([{ path: 'price', expected: 'a finite number above 0' }])
      expectDecodeError(frame.error, text)
    },
  )

  it('has an error of one line for any price', () => {
    const text = updateText('svc-0xab', '"\u2028\u0085\u009b\u007f"')
    const frame = decodeFrame(text)
    if (!isLeft(frame)) return expect.unreachable()
    expectDecodeError(frame.left, text)
  })

  it('has an error that contains the price', () => {
    const frame = decodeFrame('{"topic":"svc-0xab","price":"12"}')
    expect(frame).toMatchObject({
      left: { message: 'frame: price: expected a finite number above 0, got "12"' },
    })
  })
})

describe('decodeFrame, for any text,', () => {
  const valid = fc.oneof(
    fc.tuple(topic, priceText).map(([name, price]) => updateText(name, price)),
    fc.array(topic, { maxLength: 3 }).map((subscriptions) => JSON.stringify({ subscriptions })),
  )

  const expectTotal = (text: string): void => {
    const frame = decodeFrame(text)
    if (isLeft(frame)) expectDecodeError(frame.left, text)
    else expect(['PriceUpdate', 'Confirmation', 'ErrorText']).toContain(frame.right._tag)
  }

  it('never throws', () => {
    fc.assert(fc.property(anyText, expectTotal))
  })

  it('never throws for a mutated frame', () => {
    fc.assert(fc.property(valid.chain(mutate), expectTotal), { numRuns: 500 })
  })

  it('never throws for deep nesting', () => {
    fc.assert(fc.property(deepText, expectTotal), { numRuns: 20 })
  })

  it('ignores fields named like members of Object.prototype, and never throws', () => {
    const value = fc.oneof(fc.json(), valid)
    fc.assert(
      fc.property(builtInPropertyName, value, topic, priceValue, (name, json, echoed, price) => {
        expectTotal(`{"${name}":${json}}`)
        expect(isLeft(decodeFrame(`{"${name}":${json}}`))).toBe(true)
        const text = `{"${name}":${json},"topic":"${echoed}","price":${price}}`
        expect(decodeFrame(text)).toEqual(right({ _tag: 'PriceUpdate', topic: echoed, price }))
      }),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('subscribeFrame and unsubscribeFrame (section 4.3)', () => {
  it('build a JSON object of exactly a method and a topic', () => {
    fc.assert(
      fc.property(topic, (name) => {
        expect(JSON.parse(subscribeFrame(name))).toEqual({ method: 'subscribe', topic: name })
        expect(JSON.parse(unsubscribeFrame(name))).toEqual({ method: 'unsubscribe', topic: name })
      }),
    )
  })
})

it.each(Object.entries(frameTexts))('decodes each generated frame of the kind %s', (kind, text) => {
  fc.assert(
    fc.property(text, (generated) => {
      expect(decodeFrame(generated)).toMatchObject({ _tag: 'Right', right: { _tag: kind } })
    }),
  )
})
