// Answers requests for the past of a topic from a folder with a file for each topic and hour: by a gateway, or by hand.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createClient } from '../node_modules/.build/index.js'
import { startGateway } from '../node_modules/.build/gateway/index.js'
import { handleRequests } from '../process/handle-requests.mjs'
import { createService } from '../process/service-transport.mjs'

const startThroughGateway = async (folder) => {
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:1',
    webSocket: createService(),
  })
  const { baseUrl } = await startGateway(client, { history: { folder, keep: Infinity } })
  return baseUrl
}

const startByHand = async (folder) => {
  const server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))]
    const topic = pathname.slice('/history/'.length)
    for (const name of readdirSync(folder).sort()) {
      if (!name.startsWith(topic)) continue
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
        const row = line === '' ? {} : JSON.parse(line)
        if (row._tag === 'Price' && row.at >= from && row.at < to)
          response.write(`${JSON.stringify({ topic, price: row.event.right.price, at: row.at })}\n`)
      }
    }
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

/** In ms: the shortest interval that the monitor has. */
const resolution = 1
const delay = monitorEventLoopDelay({ resolution })

handleRequests({
  start: ({ folder, byHand }) => (byHand ? startByHand(folder) : startThroughGateway(folder)),
  watch: () => {
    delay.reset()
    delay.enable()
  },
  /** The longest time in ms for which the event loop was blocked. */
  blockedMs: () => {
    delay.disable()
    return delay.max / 1e6 - resolution
  },
})
