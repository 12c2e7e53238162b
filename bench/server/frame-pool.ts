import { textFrame } from './frames.js'
import { createPrices, createRandom } from './prices.js'
import type { Protocol, Subscription } from './protocols.js'

const poolSize = 100_000
const texts = createPrices(poolSize)
const values = texts.map(Number)

/** Prepared frames, from which bursts are sent. */
export interface FramePool {
  readonly bytes: Buffer
  /** The start of each frame, and the end of the last one. */
  readonly offsets: readonly number[]
}

const pools = new Map<string, FramePool>()

/** The pool for these subscriptions. Cached, because the clients of a table have the same subscriptions. */
export const framePoolOf = (protocol: Protocol, subscriptions: readonly Subscription[]): FramePool => {
  // An example frame distinguishes the protocols in the cache key.
  const [first] = subscriptions
  const example = first === undefined ? '' : protocol.price(first, '1')
  const key = [example, protocol.isInTurn, ...subscriptions.map(({ topic, id }) => `${topic} ${id}`)].join()
  const pool = pools.get(key) ?? createPool(protocol, subscriptions)
  pools.set(key, pool)
  return pool
}

const createPool = (protocol: Protocol, subscriptions: readonly Subscription[]): FramePool => {
  const inTurn = texts.map((_, index) => index)
  const order = protocol.isInTurn === true ? inTurn : shuffled(inTurn)
  const offsets = [0]
  let end = 0
  const frames = texts.map((price, index) => {
    const subscription = subscriptions[(order[index] ?? 0) % subscriptions.length]
    if (subscription === undefined) throw new Error('no subscription')
    const frame = textFrame(protocol.price(subscription, price))
    offsets.push((end += frame.length))
    return frame
  })
  return { bytes: Buffer.concat(frames), offsets }
}

/** Each topic gets as many prices as any other, in an order that a processor cannot predict. */
const shuffled = (values: number[]): readonly number[] => {
  const random = createRandom(1)
  for (let left = values.length; left > 1; left -= 1) {
    const chosen = Math.floor(random() * left)
    const [value = 0, last = 0] = [values[chosen], values[left - 1]]
    values[left - 1] = value
    values[chosen] = last
  }
  return values
}

/** The sum of the delivered prices of a burst. Added in the order of delivery, so that it is equal to the last bit. */
export const sumOf = (frames: number, subscribers: number): number => {
  let sum = 0
  for (let index = 0; index < frames; index += 1) {
    const price = values[index % poolSize] ?? NaN
    for (let n = 0; n < subscribers; n += 1) sum += price
  }
  return sum
}

/** Slices of whole frames, from the pool repeated without end. */
export function* slicesOf(
  { bytes, offsets }: FramePool,
  frames: number,
  framesPerSlice: number,
): Generator<Buffer> {
  for (let sent = 0; sent < frames;) {
    const from = sent % poolSize
    const to = Math.min(from + framesPerSlice, poolSize, from + frames - sent)
    yield bytes.subarray(offsets[from], offsets[to])
    sent += to - from
  }
}
