// The part that all candidates share. A candidate receives `onPrice`, connects, and calls `onPrice` with each price of
// each topic that it is requested to subscribe to. All candidates do the same work.
import { handleRequests } from '../../process/handle-requests.mjs'
import { heapBytes } from '../../process/heap-bytes.mjs'
import { createLatencyRecorder } from './latency-recorder.mjs'
import { createThroughputRecorder } from './throughput-recorder.mjs'

/**
 * `open({ url, onPrice, onFrames, failed, fanOut })` connects. It resolves to `subscribe(topics, subscribers)`, or to
 * undefined for a candidate that only counts frames.
 */
export const candidate = (open) => {
  let recorder
  let topics
  let subscribe
  let failure

  handleRequests({
    open: async (options) => {
      topics = options.topics
      recorder = options.recorder === 'latency' ? createLatencyRecorder() : createThroughputRecorder()
      const failed = (message) => {
        failure ??= message
      }
      const { onPrice, onFrames } = recorder
      subscribe = await open({ url: options.url, onPrice, onFrames, failed, fanOut: options.fanOut })
    },
    subscribe: ({ from, to, subscribers }) => subscribe(topics.slice(from, to), subscribers),
    start: (options) => recorder.start(options),
    result: async () => {
      const result = await recorder.result()
      if (failure !== undefined) throw new Error(`delivered something other than a price: ${failure}`)
      return result
    },
    heapBytes,
  })
}
