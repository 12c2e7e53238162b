import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import { startNatsServer, type NatsServer } from '../../support/nats/nats-server.js'
import type { ServerIndex } from './cluster-scripts.js'

type OnFinished = (release: () => void) => void

/** Three processes of `nats-server`, whose routes can fail. */
export interface RealCluster {
  readonly servers: readonly NatsServer[]
  readonly cut: (one: ServerIndex, other: ServerIndex) => void
  readonly heal: (one: ServerIndex, other: ServerIndex) => void
}

/** Each server dials those before it, over a proxy for each route. */
export const startRealCluster = async (onFinished: OnFinished): Promise<RealCluster> => {
  const servers: NatsServer[] = []
  const proxies = new Map<string, RouteProxy>()
  for (const index of [0, 1, 2] as const) {
    const routes: string[] = []
    for (const [earlier, { routeUrl }] of servers.entries()) {
      const proxy = await startRouteProxy(Number(new URL(routeUrl).port), onFinished)
      proxies.set(`${earlier},${index}`, proxy)
      routes.push(`nats://127.0.0.1:${proxy.port}`)
    }
    // Otherwise the servers learn the addresses behind the proxies from each other.
    servers.push(await startNatsServer({ onFinished, routes, routeAddress: '127.0.0.1:1' }))
  }
  const proxyOf = (one: ServerIndex, other: ServerIndex): RouteProxy =>
    proxies.get(`${Math.min(one, other)},${Math.max(one, other)}`)!
  return {
    servers,
    cut: (one, other) => proxyOf(one, other).cut(),
    heal: (one, other) => proxyOf(one, other).heal(),
  }
}

interface RouteProxy {
  readonly port: number
  readonly cut: () => void
  readonly heal: () => void
}

const startRouteProxy = async (target: number, onFinished: OnFinished): Promise<RouteProxy> => {
  const sockets = new Set<Socket>()
  let isCut = false
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const proxy = createServer({ noDelay: true }, (from) => {
    if (isCut) return void from.destroy()
    const to = createConnection(target, '127.0.0.1').setNoDelay(true)
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => other.destroy())
        .pipe(other)
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onFinished(() => {
    cut()
    proxy.close()
  })
  return { port: (proxy.address() as AddressInfo).port, cut, heal: () => void (isCut = false) }
}
