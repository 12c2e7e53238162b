import { concat, of, scan, type Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import { runGateway } from '../../gateway/run-gateway.js'
import { rxClock } from '../../time/rx-clock.js'
import type { PageConfig } from '../model/page-config.js'
import { nextServiceStatus, type ServiceStatus } from '../model/service-status.js'
import type { PageFiles } from './page-files.js'
import { pagesOf } from './page-responses.js'

export interface DashboardOptions {
  /** Port to listen on, for the page, HTTP and WebSocket; 0 picks a free port. */
  readonly port: number
  /** Why there are no more prices once the client has closed. */
  readonly closedReason: string
  readonly files: PageFiles
  readonly config: PageConfig
}

/** A running dashboard. */
export interface DashboardServer {
  /** Address of the page, `http://127.0.0.1:<port>/`. */
  readonly url: string
  /** Ends all connections. Resolves when the port is free. Idempotent. */
  readonly close: () => Promise<void>
}

/** Serves the page on loopback, and a gateway of the client on the same port. Does not close the client. */
export const startDashboard = async (
  client: PriceClient,
  { port, closedReason, files, config }: DashboardOptions,
): Promise<DashboardServer> => {
  let status: ServiceStatus = { isUp: true, reason: '' }
  let webSockets: readonly string[] = []
  const pages = pagesOf({ files, config, status: () => status, webSockets: () => webSockets })
  const gateway = await runGateway(client, { port, service: config.service }, { pages })
  webSockets = ['127.0.0.1', 'localhost'].map((name) => gateway.priceWsUrl.replace('127.0.0.1', name))
  const subscription: Subscription = concat(client.status$, of({ _tag: 'Closed' } as const))
    .pipe(scan((before, next) => nextServiceStatus(before, next, rxClock.elapsed(), closedReason), status))
    .subscribe((next) => (status = next))
  const close = (): Promise<void> => {
    subscription.unsubscribe()
    return gateway.close()
  }
  return { url: `${gateway.baseUrl}/`, close }
}
