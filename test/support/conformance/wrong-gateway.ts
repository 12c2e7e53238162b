import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { RuleId } from './rules.js'
import { ethTopic } from '../tokens.js'

/** The number of topics that a connection may have. */
export const topicLimit = 3

/** Starts a gateway that breaks one rule, or none. It was written from docs/reference/protocol.md, without code of the library. */
export const startWrongGateway = async (broken: RuleId | undefined) => {
  const keeps = (rule: RuleId): boolean => rule !== broken
  const server = createServer((request, response) => {
    const answer = (status: number, body: string) => response.writeHead(status).end(body)
    switch (request.url ?? '') {
      case `/price/${ethTopic}`:
        return keeps('http-price') ? answer(200, '2500.5') : answer(200, '2.5005e+3')
      case '/price/svc-no-address':
        return keeps('http-topic-rejected') ? answer(500, invalid) : answer(404, invalid)
      case '/health':
        return answer(keeps('gateway-health') ? 200 : 418, '{"status":"up","upstream":"Open"}')
      case '/history':
        return keeps('gateway-history') ? answer(404, 'Not Found') : answer(200, 'none')
      default:
        return answer(500, keeps('http-token-rejected') ? invalid : 'Internal Server Error')
    }
  })
  const sockets = new WebSocketServer({
    noServer: true,
    autoPong: keeps('ping-answered'),
    maxPayload: keeps('gateway-too-long') ? 16 * 1024 : 1e6,
  })
  server.on('upgrade', (request, socket, head) => {
    if (keeps('socket-opens')) sockets.handleUpgrade(request, socket, head, (each) => serve(each, keeps))
    else socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const each of sockets.clients) each.terminate()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const invalid = 'Invalid (exchange, base, quote) tuple'

const serve = (socket: WebSocket, keeps: (rule: RuleId) => boolean): void => {
  const topics = new Set<string>()
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const reject = (rule: RuleId, text: string): void => {
    if (keeps(rule)) socket.send(text)
  }
  const priceOf = (topic: string) => ({ topic, price: keeps('price-form') ? 2500.5 : -1 })
  const publish = (): void => {
    for (const topic of topics) send({ ...priceOf(topic), ...(keeps('age-live') ? {} : { age: 5 }) })
    if (topics.size > 0 && !keeps('subscribed-only')) send(priceOf('svc-0xabcd'))
    if (topics.size > 0 && !keeps('frame-form')) socket.send(Buffer.from([1]))
  }
  const timer = setInterval(publish, 20)
  const subscribe = (topic: string): void => {
    const isNew = !topics.has(topic)
    // Without a limit, the tokens of its check are rejected like any that are not supported.
    if (topic.startsWith('svc-0xfabed') && !keeps('gateway-topic-limit'))
      return socket.send(`${invalid}: ${topic}`)
    if (isNew && topics.size === topicLimit) return socket.send(`${topic}: more than ${topicLimit}`)
    // With a limit, they are looked up later.
    if (topic.startsWith('svc-0xfabed')) return void topics.add(topic)
    if (topic === 'svc-no-address') return reject('topic-rejected', invalid)
    if (topic !== ethTopic) return reject('token-rejected', `${invalid}: ${topic}`)
    topics.add(topic)
    if (keeps(isNew ? 'subscribe-confirmed' : 'subscribe-repeated')) send({ subscriptions: [...topics] })
    if (keeps('price-sent')) send({ ...priceOf(topic), ...(keeps('age-first') ? { age: 3 } : {}) })
  }
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (!text.startsWith('{')) return reject('malformed-answered', 'Invalid request: not JSON')
    const { method, topic } = JSON.parse(text) as { readonly method: string; readonly topic: string }
    if (method === 'subscribe') return subscribe(topic)
    if (keeps('unsubscribe-ends')) topics.delete(topic)
    send({ subscriptions: [...topics] })
  })
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
}
