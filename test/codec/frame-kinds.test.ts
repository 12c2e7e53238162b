import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeFrame, type Frame } from '../../src/codec/price-frame.js'
import { priceValue, topic } from '../support/arbitraries.js'

/** The texts of each kind of frame. A new kind does not compile without a generator. */
const texts: Readonly<Record<Frame['_tag'], fc.Arbitrary<string>>> = {
  PriceUpdate: fc.record({ topic, price: priceValue }).map((frame) => JSON.stringify(frame)),
  Confirmation: fc.array(topic).map((subscriptions) => JSON.stringify({ subscriptions })),
  ErrorText: fc.string().map((text) => `Error: ${text}`),
}

it.each(Object.entries(texts))('decodes each generated frame of the kind %s', (kind, text) => {
  fc.assert(
    fc.property(text, (generated) => {
      expect(decodeFrame(generated)).toMatchObject({ _tag: 'Right', right: { _tag: kind } })
    }),
  )
})
