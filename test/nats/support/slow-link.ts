import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy between a NATS client and its server whose bandwidth towards the client can be limited. */
export interface SlowLink {
  /** `nats://127.0.0.1:<port>`. */
  readonly url: string
  /** Towards the client. What exceeds it waits without limit, as in the buffers of a network. */
  bytesPerSecond: number
  /** The number of connections that were opened. */
  readonly connections: number
}

/** The time between two writes, in ms. */
const interval = 10

export const startSlowLink = async (
  onFinished: (release: () => void) => void,
  target: string,
): Promise<SlowLink> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ noDelay: true }, (client) => {
    connections++
    const nats = connect({ host: hostname, port: Number(port), noDelay: true })
    const waiting: Buffer[] = []
    const forward = (): void => {
      let budget = (link.bytesPerSecond * interval) / 1_000
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
        client.write(chunk.subarray(0, budget))
        if (chunk.length > budget) return void waiting.unshift(chunk.subarray(budget))
        budget -= chunk.length
      }
    }
    const timer = setInterval(forward, interval)
    nats.on('data', (chunk) => waiting.push(chunk))
    client.pipe(nats)
    for (const [socket, other] of [
      [client, nats],
      [nats, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        clearInterval(timer)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const link: SlowLink = {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytesPerSecond: Infinity,
    get connections() {
      return connections
    },
  }
  return link
}
