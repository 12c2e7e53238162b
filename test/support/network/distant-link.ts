import { connect, type Socket } from 'node:net'
import { startTcpServer } from './servers.js'

/**
 * Starts a TCP proxy to a URL that forwards each chunk `ms` after its arrival, in each direction: a link that is distant,
 * not slow. Returns its URL, with the protocol of the target. The proxy is closed after the test.
 */
export const startDistantLink = async (target: string, ms: number): Promise<string> => {
  const { protocol, hostname, port } = new URL(target)
  const forward = (from: Socket, to: Socket): void => {
    from.setNoDelay()
    from.on('error', () => from.destroy())
    from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), ms))
    from.on('end', () => setTimeout(() => to.end(), ms))
    from.on('close', () => setTimeout(() => to.destroy(), ms))
  }
  const linkPort = await startTcpServer((client) => {
    const service = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    forward(client, service)
    forward(service, client)
  })
  return `${protocol}//127.0.0.1:${linkPort}`
}
