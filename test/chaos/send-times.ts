import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { baseOf, type Base } from './price-frame.js'

/** A price frame as the simulator writes it. */
const priceFrame = /\{"topic":"([^"]+)","price":([^}]+)\}/g

/** Times are monotonic, in ms. */
export interface SendTime {
  readonly sentAt: number
  /** When the service sent the next price of the topic. */
  replacedAt: number | undefined
}

/** When a service has sent each price. */
export interface SendTimes {
  /** URL of the service. Its data is read at once, whatever the client does. */
  readonly url: string
  /** Returns `undefined` for a price that was not noted. */
  readonly of: (base: Base, price: number) => SendTime | undefined
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A TCP proxy that notes when each price passes. A frame that arrives in two pieces is not noted. */
export const startSendTimes = async (target: string): Promise<SendTimes> => {
  const url = new URL(target)
  const address = { host: url.hostname, port: Number(url.port), noDelay: true }
  const times = new Map<string, SendTime>()
  const newest = new Map<Base, SendTime>()
  const key = (base: Base, price: number): string => `${base} ${price}`
  const note = (base: Base, price: number): void => {
    const time: SendTime = { sentAt: performance.now(), replacedAt: undefined }
    const before = newest.get(base)
    if (before !== undefined) before.replacedAt = time.sentAt
    newest.set(base, time)
    times.set(key(base, price), time)
  }
  const server = createServer({ noDelay: true }, (client) => {
    const service = connect(address)
    client.on('data', (chunk) => service.write(chunk))
    service.on('data', (chunk) => {
      for (const [, topic = '', price] of chunk.toString('latin1').matchAll(priceFrame)) {
        note(baseOf(topic), Number(price))
      }
      client.write(chunk)
    })
    for (const [socket, other] of [[client, service] as const, [service, client] as const]) {
      socket.on('error', () => other.destroy())
      socket.on('end', () => other.end())
      socket.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    of: (base, price) => times.get(key(base, price)),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
