import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { currentClock } from '../../../src/base/time/rx-clock.js'
import { NatsLink, type LinkUser } from '../../../src/nats/connection/nats-link.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { eventually } from '../../support/time/eventually.js'

const certificate = createSelfSignedCertificate({ host: 'localhost' })

/** A server of a cluster, which announces the address of another one. */
const startServer = async (host: string, others: readonly string[] = []) => {
  const sockets: TLSSocket[] = []
  const server = createServer(certificate, (socket) => {
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data: Buffer) => data.includes('PING') && socket.write('PONG\r\n'))
    const info = { server_id: host, version: '2.10.0', max_payload: 1024, tls_required: true, headers: true }
    socket.write(`INFO ${JSON.stringify({ ...info, connect_urls: others })}\r\n`)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const stop = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)
  return { port: (server.address() as AddressInfo).port, stop }
}

it.each([
  ['localhost', true],
  ['127.0.0.1', false],
])(
  'of a cluster that is configured by %s, accepts the certificate of localhost for another address: %s',
  async (configured, isAccepted) => {
    const second = await startServer('127.0.0.2')
    const first = await startServer('127.0.0.1', [`127.0.0.2:${second.port}`])
    const link = new NatsLink(
      {
        servers: `tls://${configured}:${first.port}`,
        tls: { ca: certificate.cert, handshakeFirst: true },
        noRandomize: true,
      },
      currentClock(),
    )
    onTestFinished(() => link.close())
    const events: string[] = []
    const user: LinkUser = {
      onConnected: () => events.push('connected'),
      onLost: () => {
        events.push('lost')
        link.use(user)
      },
    }
    link.use(user)
    await eventually(() => expect(events).toEqual(['connected']))
    first.stop()
    const all = isAccepted ? ['connected', 'lost', 'connected'] : ['connected', 'lost']
    await eventually(() => expect(events).toEqual(all))
    if (!isAccepted)
      await eventually(() => expect(link.problem).toContain("IP: 127.0.0.2 is not in the cert's list"))
  },
)
