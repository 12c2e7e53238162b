import { createClient, type Client } from 'svc-streams'
import { clientOf } from '../../../src/client/create-client.js'
import { configureNats, natsTransports } from '../../../src/nats/nats-client.js'
import { node } from '../../../src/wire/platform/node.js'
import type { ClientTimes, Ledger } from '../invariants/ledger.js'
import { NatsSessions, problemOfTcp } from '../invariants/nats-client.js'
import type { NatsPrices } from '../invariants/nats-prices.js'
import { SimulatedHttp } from '../world/http-transport.js'
import type { Link } from '../world/network.js'
import { ObservedHttp, ObservedTransport } from '../world/observed-transports.js'
import type { SimulatedProcess } from '../world/process.js'
import { SimulatedTcp } from '../world/tcp.js'
import { SimulatedTransport } from '../world/web-socket-transport.js'
import type { NatsCluster } from './nats-cluster.js'
import type { Server } from './service.js'

/** How a client of the library is created. */
export interface ClientPlan {
  readonly times: ClientTimes
  /** A client in a page: its sockets have no pings. */
  readonly isPage?: boolean
  /** The difference of its time of day to the true one, in ms. */
  readonly clockError: number
  /** Over NATS: the servers whose addresses it has. Default: the first one. */
  readonly natsServers?: readonly number[]
}

/** A client, and the number of what it has open. */
export interface ConnectedClient {
  readonly client: Client
  readonly sockets: () => number
  readonly requests: () => number
  /** What is wrong with the connection, if anything is. Default: nothing is known. */
  readonly problem?: () => string | undefined
}

/** Creates a client in a process. The ledger records what passes its ports. */
export type Connect = (
  plan: ClientPlan,
  process: SimulatedProcess,
  link: Link,
  ledger: Ledger,
) => ConnectedClient

/** To the service, or to a gateway over WebSockets. */
export const connectTo =
  ({ host, onUpgrade, onDepthRequest }: Server): Connect =>
  (plan, process, link, ledger) => {
    ledger.hasPings = plan.isPage !== true
    const webSocket = new SimulatedTransport(process, link, host, onUpgrade, ledger)
    const http = new SimulatedHttp(process, link, host, onDepthRequest, ledger)
    const client = process.enter(() =>
      createClient({
        ...optionsOf(plan),
        environment: 'mainnet',
        priceBaseUrl: 'http://localhost:3000',
        baseUrl: 'http://localhost:3000',
        unsigned: true,
        webSocket,
        http,
      }),
    )
    process.enter(() => client.status$.subscribe((status) => ledger.dials.onStatus(status)))
    return { client, sockets: () => webSocket.size, requests: () => http.size }
  }

/** The option `servers` of a client or a gateway. */
export const natsAddresses = (nats: NatsCluster, { natsServers = [0] }: ClientPlan): readonly string[] =>
  natsServers.map((index) => nats.addressOf(index))

/** To gateways over NATS. */
export const connectOverNats =
  (nats: NatsCluster, prices: NatsPrices): Connect =>
  (plan, process, link, ledger) => {
    const tcp = new SimulatedTcp(process, link, nats.serverAt)
    const { client, http } = process.enter(() => {
      const servers = natsAddresses(nats, plan)
      const options = { ...optionsOf(plan), environment: 'mainnet', servers } as const
      const configuration = configureNats(options)
      const transports = natsTransports(options, configuration, tcp.open)
      const requests = new ObservedHttp(transports.http, ledger)
      const webSocket = new ObservedTransport(transports.webSocket, ledger, prices)
      return { client: clientOf({ ...configuration, webSocket, http: requests }, node), http: requests }
    })
    process.enter(() => client.status$.subscribe((status) => ledger.dials.onStatus(status)))
    const sessions = new NatsSessions(ledger, prices)
    return {
      ...{ client, sockets: () => tcp.size, requests: () => http.size },
      problem: () => {
        if (nats.isLossy) ledger.lossyUntil = process.activeMs
        return sessions.problem() ?? problemOfTcp(tcp)
      },
    }
  }

const optionsOf = ({ times: { initialDelay, maxDelay, ...times } }: ClientPlan) => ({
  ...times,
  reconnect: { initialDelay, maxDelay },
})
