import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

/** A message between a NATS client and its server. */
export interface NatsMessage {
  /** `up`: published by the client; `down`: delivered to it. */
  readonly direction: 'up' | 'down'
  readonly subject: string
  readonly payload: Buffer
  /** The whole message in the protocol of NATS. */
  readonly bytes: Buffer
  /** Forwards bytes over the connection of this message, now or later. */
  readonly forward: (bytes: Buffer) => void
}

export interface NatsMessageProxy {
  /** `nats://127.0.0.1:<port>`. */
  readonly url: string
  /** Returns what is forwarded instead of a message, such as nothing, or the message twice. Default: the message. */
  alter: (message: NatsMessage) => readonly Buffer[]
  /** Ends all connections, as a failure of the network does. */
  readonly dropConnections: () => void
}

/** Starts a proxy between NATS clients and their server that can drop, repeat, delay and replace messages. */
export const startNatsMessageProxy = async (
  onFinished: (release: () => void) => void,
  target: string,
): Promise<NatsMessageProxy> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const service = connect({ host: hostname, port: Number(port), noDelay: true })
    forward(client, service, 'up', proxy)
    forward(service, client, 'down', proxy)
    sockets.add(client).add(service)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onFinished(() => {
    server.close()
    dropConnections()
  })
  const proxy: NatsMessageProxy = {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alter: ({ bytes }) => [bytes],
    dropConnections,
  }
  return proxy
}

const forward = (
  from: Socket,
  to: Socket,
  direction: NatsMessage['direction'],
  proxy: NatsMessageProxy,
): void => {
  let rest: Buffer = Buffer.alloc(0)
  const write = (bytes: Buffer): void => void to.write(bytes)
  from.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let part = nextPart(rest); part !== undefined; part = nextPart(rest)) {
      const bytes = rest.subarray(0, part.end)
      rest = rest.subarray(part.end)
      const { subject, payloadStart } = part
      const parts =
        subject === undefined
          ? [bytes]
          : proxy.alter({
              ...{ direction, subject, bytes, forward: write },
              payload: bytes.subarray(payloadStart, -2),
            })
      parts.forEach(write)
    }
  })
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}

interface Part {
  /** Undefined for everything that is not a message: `PING`, `SUB` and so on. */
  readonly subject: string | undefined
  readonly payloadStart: number
  readonly end: number
}

/** The first complete line of the protocol, with its payload. Its format: https://docs.nats.io/reference/reference-protocols/nats-protocol */
const nextPart = (bytes: Buffer): Part | undefined => {
  const lineEnd = bytes.indexOf('\r\n')
  if (lineEnd < 0) return undefined
  const [operation = '', subject = '', ...others] = bytes.toString('latin1', 0, lineEnd).split(' ')
  const payloadStart = lineEnd + 2
  if (!/^H?(?:MSG|PUB)$/i.test(operation)) return { subject: undefined, payloadStart, end: payloadStart }
  const end = payloadStart + Number(others.at(-1)) + 2
  return bytes.length < end ? undefined : { subject, payloadStart, end }
}
