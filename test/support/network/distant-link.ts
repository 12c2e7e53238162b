import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Starts a TCP proxy to a URL that forwards each chunk `ms` after its arrival, in each direction: a link that is distant,
 * not slow. Returns its URL, with the protocol of the target. The proxy is closed after the test.
 */
export const startDistantLink = async (target: string, ms: number): Promise<string> => {
  const { protocol, hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => from.destroy())
    from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), ms))
    from.on('close', () => setTimeout(() => to.destroy(), ms))
  }
  const server = createServer({ noDelay: true }, (client) => {
    const service = connect({ host: hostname, port: Number(port), noDelay: true })
    forward(client, service)
    forward(service, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`
}
