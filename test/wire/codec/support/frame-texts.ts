import fc from 'fast-check'
import type { Frame } from '../../../../src/wire/codec/price-frame.js'
import { priceValue, topic } from '../../../support/arbitraries.js'

/** The texts of each kind of frame. A new kind does not compile without a generator. */
export const frameTexts: Readonly<Record<Frame['_tag'], fc.Arbitrary<string>>> = {
  PriceUpdate: fc.record({ topic, price: priceValue }).map((frame) => JSON.stringify(frame)),
  Confirmation: fc.array(topic).map((subscriptions) => JSON.stringify({ subscriptions })),
  ErrorText: fc.string().map((text) => `Error: ${text}`),
}
