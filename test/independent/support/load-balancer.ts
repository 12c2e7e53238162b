import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'svc-streams'
import type { GatewayOptions } from 'svc-streams/gateway'
import type { Market } from 'svc-streams/simulator'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { runGateway } from '../../../src/gateway/run-gateway.js'
import { readPage } from '../../docs/support/block.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { newFolder } from '../../support/new-folder.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { pathOf, startServer } from '../../support/process/program.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'

export const certificate = createSelfSignedCertificate()

export type Balancer = 'haproxy' | 'nginx'

interface Setup {
  /** Replaces parts of the file of the load balancer. */
  readonly change?: (text: string) => string
  readonly options?: GatewayOptions
  /** Default: prices every 20 ms. */
  readonly market?: Market
}

/** Starts two gateways behind a load balancer. Resolves when it accepts connections. */
export const startBehind = async (
  name: Balancer,
  { change = (text) => text, options = {}, market }: Setup = {},
) => {
  const simulator = await startTestSimulator(market === undefined ? { tick: 20 } : { market })
  const startOne = () =>
    runGateway(createClientFor(simulator, { connectTimeout: 5_000 }), { port: 0, ...options })
  const gateways = [await startOne(), await startOne()] as const
  for (const { gateway } of gateways) closeAfterTest(gateway)
  const ports = gateways.map(({ gateway }) => new URL(gateway.baseUrl).port)
  const port = await findUnusedPort()
  const folder = newFolder()
  const file = join(folder, 'balancer.conf')
  writeFileSync(join(folder, 'gate-cert.pem'), certificate.cert)
  writeFileSync(join(folder, 'gate-key.pem'), certificate.key)
  const shipped = readPage(`examples/deploy/${name === 'nginx' ? 'nginx.conf' : 'haproxy.cfg'}`)
  const text = shipped
    .replace('127.0.0.1:8081', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${ports[1]}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('/etc/nginx', folder)
  writeFileSync(file, change(text))
  const path = pathOf(name, name === 'nginx' ? 'nginx-light' : name)
  const args =
    name === 'nginx'
      ? ['-c', file, '-e', 'stderr', '-g', `daemon off; master_process off; pid ${file}.pid;`]
      : ['-f', file]
  await startServer([path, ...args], port)
  const host = `127.0.0.1:${port}`
  const [http, ws] = name === 'nginx' ? (['https', 'wss'] as const) : (['http', 'ws'] as const)
  const addresses = {
    baseUrl: `${http}://${host}`,
    priceBaseUrl: `${http}://${host}`,
    priceWsUrl: `${ws}://${host}`,
  }
  const connect = (own = {}) =>
    closeAfterTest(
      createClient({
        ...{ environment: 'mainnet', ...addresses, unsigned: true, ca: certificate.cert },
        ...{ reconnect: { initialDelay: 20, maxDelay: 100 }, ...own },
      }),
    )
  return { gateways, addresses, connect, open: (headers = {}) => openPlain(addresses.priceWsUrl, headers) }
}

const openPlain = (url: string, headers: Readonly<Record<string, string>>): WebSocket => {
  const socket = new WebSocket(url, { ca: certificate.cert, headers })
  socket.on('error', () => undefined)
  onTestFinished(() => socket.terminate())
  return socket
}
