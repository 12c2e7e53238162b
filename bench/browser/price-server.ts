import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

/** A service for one page, which sends bursts of prices. */
export interface PriceServer {
  readonly url: string
  readonly topics: readonly string[]
  /** Resolves when the page has subscribed to all topics. */
  readonly subscribed: Promise<void>
  /** Sends prices, evenly to all topics. */
  readonly send: (count: number) => void
  readonly close: () => void
}

export const startPriceServer = async (topicCount: number): Promise<PriceServer> => {
  const topics = Array.from(
    { length: topicCount },
    (_, index) => `svc-0x${(index + 1).toString(16).padStart(40, '0')}`,
  )
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  let page: WebSocket | undefined
  let sent = 0
  const subscribed = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      page = socket
      const names: string[] = []
      socket.on('message', (data: Buffer) => {
        names.push((JSON.parse(data.toString()) as { readonly topic: string }).topic)
        socket.send(JSON.stringify({ subscriptions: names }))
        if (names.length === topics.length) resolve()
      })
    })
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    topics,
    subscribed,
    send: (count) => {
      for (let index = 0; index < count; index += 1) {
        const topic = topics[index % topics.length]
        page?.send(`{"topic":"${topic}","price":${2500 + (sent++ % 10_000) / 100}}`)
      }
    },
    close: () => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    },
  }
}
