import { textFrame } from './frames.js'
import { createPrices } from './prices.js'
import type { Protocol, Subscription } from './protocols.js'

const size = 100_000
const texts = createPrices(size)
const values = texts.map(Number)

/** Coprime to every number of topics, so that each is served in turn and neighbours are not. */
const stride = 7919

/** What all frames of a burst are taken from, ready to be written. */
export interface Pool {
  readonly bytes: Buffer
  /** Where each frame begins, and where the last one ends. */
  readonly offsets: readonly number[]
}

const pools = new Map<string, Pool>()

/** One client after the other subscribes to the same: the bytes are made once. */
export const poolOf = (protocol: Protocol, subscriptions: readonly Subscription[]): Pool => {
  // What a protocol makes of the first price tells the protocols apart.
  const [first] = subscriptions
  const example = first === undefined ? '' : protocol.price(first, '1')
  const key = [example, ...subscriptions.map(({ topic, id }) => `${topic} ${id}`)].join()
  const pool = pools.get(key) ?? createPool(protocol, subscriptions)
  pools.set(key, pool)
  return pool
}

const createPool = (protocol: Protocol, subscriptions: readonly Subscription[]): Pool => {
  const offsets = [0]
  let end = 0
  const frames = texts.map((price, index) => {
    const subscription = subscriptions[(index * stride) % subscriptions.length]
    if (subscription === undefined) throw new Error('nobody has subscribed')
    const frame = textFrame(protocol.price(subscription, price))
    offsets.push((end += frame.length))
    return frame
  })
  return { bytes: Buffer.concat(frames), offsets }
}

/**
 * The sum of the prices of a burst where each is delivered to so many subscribers, added up in the order in which
 * they hear of it: to the last bit what they must come to.
 */
export const sumOf = (frames: number, subscribers: number): number => {
  let sum = 0
  for (let index = 0; index < frames; index += 1) {
    const price = values[index % size] ?? NaN
    for (let n = 0; n < subscribers; n += 1) sum += price
  }
  return sum
}

/** The pool over and over, in slices of whole frames. */
export function* slicesOf(
  { bytes, offsets }: Pool,
  frames: number,
  framesPerSlice: number,
): Generator<Buffer> {
  for (let sent = 0; sent < frames;) {
    const from = sent % size
    const to = Math.min(from + framesPerSlice, size, from + frames - sent)
    yield bytes.subarray(offsets[from], offsets[to])
    sent += to - from
  }
}
