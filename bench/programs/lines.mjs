// Receives prices over one line or several.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

let prices = 0

handleRequests({
  open: ({ url, lines, topics }) => {
    const client = createClient({
      environment: 'testnet',
      priceBaseUrl: 'http://localhost:1',
      priceWsUrl: url,
      lines,
    })
    for (const topic of topics)
      client.price$(topic).subscribe((event) => {
        if (isRight(event)) prices += 1
      })
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return { prices, microseconds: user + system }
  },
})
