// What all candidates have in common. A candidate is given `onPrice`, connects, and from then on must call it with
// each price of each topic that it was told to subscribe to. Beyond that, none does anything here that another does
// not do.
import { answers } from '../process/answers.mjs'
import { createLatencies } from './latencies.mjs'
import { createTally } from './tally.mjs'

/**
 * `open({ url, onPrice, onFrames, failed })` resolves when connected, to a function that subscribes:
 * `subscribe(topics, subscribers)`. A candidate that only counts frames has none.
 */
export const candidate = (open) => {
  let recorder
  let topics
  let subscribe
  let wrong

  answers({
    open: async (asked) => {
      topics = asked.topics
      recorder = asked.record === 'latencies' ? createLatencies() : createTally()
      const failed = (what) => {
        wrong ??= what
      }
      const { onPrice, onFrames } = recorder
      subscribe = await open({ url: asked.url, onPrice, onFrames, failed, fanOut: asked.fanOut })
    },
    subscribe: ({ from, to, subscribers }) => subscribe(topics.slice(from, to), subscribers),
    expect: (what) => recorder.expect(what),
    delivered: async () => {
      const delivered = await recorder.delivered()
      if (wrong !== undefined) throw new Error(`delivered something else than a price: ${wrong}`)
      return delivered
    },
    heap: async () => {
      // Twice and a turn apart: finalizers free more.
      for (let pass = 0; pass < 3; pass += 1) {
        globalThis.gc()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    },
  })
}
