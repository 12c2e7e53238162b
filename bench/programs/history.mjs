// Measures how long it takes to read a part of a recording of prices.
import { createReadStream } from 'node:fs'
import { openHistory } from '../node_modules/.build/history/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

/** Counts the prices of a topic from a time on. All ways of reading must have the same result. */
const readByHand = async ({ path, topic, from }) => {
  let count = 0
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const row = JSON.parse(line)
      if (row._tag === 'Price' && row.topic === topic && row.at >= from) count += 1
    }
  }
  return count
}

const readHistory = async ({ path, topic, from, to }) => {
  let count = 0
  await openHistory([path])
    .prices$(topic, { from, to })
    .forEach((event) => {
      if (event._tag === 'Left') throw new Error(event.left.message)
      if (event.right._tag === 'PastPrice') count += 1
    })
  return count
}

handleRequests({
  read: async ({ byHand, ...range }) => {
    const began = performance.now()
    const count = await (byHand ? readByHand(range) : readHistory(range))
    const ms = performance.now() - began
    // `maxRSS` is in kB.
    return { ms, megabytes: process.resourceUsage().maxRSS / 1024, count }
  },
})
