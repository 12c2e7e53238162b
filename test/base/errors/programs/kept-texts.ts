import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeDepth, decodeFrame } from 'svc-streams'
import { uncorrelatedError } from '../../../../src/base/errors/constructors.js'
import { SentFrames } from '../../../../src/client/prices/sent-frames.js'
import { rejectedEvent, TopicTable } from '../../../../src/client/prices/topics.js'
import { usedBytes } from '../../../support/process/used-bytes.js'

// Keeps 50 objects made from a different text of 1 MiB each, and prints the memory that they use, in MB, by their kind.

const count = 50
const padding = 'x'.repeat(2 ** 20)
const address = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`

const sentFrames = new SentFrames(new TopicTable(), 300)
const addUnrequested = (index: number): void => {
  const topic = `svc-${address(index)}-${padding}`
  sentFrames.onListed({ base: topic.slice(4, 46) as '0x1', topic: topic.slice(0, 46) as 'svc-0x1' }, 0)
}

/** A depth with a fraction as its quantity, which an error then contains. */
const invalidDepth = (index: number): string =>
  `{"price":1,"timestamp":1,"buy":{"total_quantity":${1e15 + index}.25,"total_quantity_usd":1},` +
  `"sell":{"total_quantity":1,"total_quantity_usd":1},"other":"${padding}"}`

const makers: Readonly<Record<string, (index: number) => unknown>> = {
  invalidFrame: (index) => decodeFrame(`{"index":${index},"other":"${padding}"}`),
  invalidDepth: (index) => {
    const decoded = decodeDepth(invalidDepth(index))
    return isLeft(decoded) ? decoded.left.issues : undefined
  },
  uncorrelated: (index) => uncorrelatedError('error-text', `${index}${padding}`),
  rejected: (index) => rejectedEvent(`${index}${padding}`)('svc-0xaa'),
  unrequested: addUnrequested,
}

const usedAfterCollection = (): number => {
  globalThis.gc?.()
  return usedBytes()
}

const kept: unknown[] = []
const measure = (make: (index: number) => unknown): number => {
  const before = usedAfterCollection()
  for (let index = 0; index < count; index++) kept.push(make(index))
  return Math.round((usedAfterCollection() - before) / 1e6)
}
const used = Object.entries(makers).map(([kind, make]) => [kind, measure(make)] as const)
console.log(
  JSON.stringify({
    kept: kept.length,
    unrequested: sentFrames.unrequestedCount,
    used: Object.fromEntries(used),
  }),
)
