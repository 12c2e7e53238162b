import { createClient } from '../../client/in-browser.js'
import { dashboardEvent$ } from '../model/dashboard-events.js'
import type { PageConfig, ServedPageConfig } from '../model/page-config.js'
import { DashboardPage } from './dashboard-page.js'
import { health$, pageConfig$ } from './server.js'

/** Upper bound of the wait between two attempts to connect, in ms: the server is on this machine. */
const maxReconnectDelay = 2000

/** Time between two signs of life, and time within which the second one must arrive, in ms. */
const [pingInterval, pongTimeout] = [5000, 3000]

const optionsOf = ({ service, staleAfter }: PageConfig) => ({
  service,
  staleAfter,
  priceBaseUrl: location.origin,
  priceWsUrl: location.origin.replace(/^http/, 'ws'),
  reconnect: { maxDelay: maxReconnectDelay },
  pingInterval,
  pongTimeout,
})

const start = (config: ServedPageConfig): void => {
  const page = new DashboardPage(document.body, config)
  const options = optionsOf(config)
  if (config.environment === 'mainnet') {
    const client = createClient({
      ...options,
      environment: 'mainnet',
      baseUrl: location.origin,
      unsigned: true,
    })
    dashboardEvent$(client, client, config, health$(config)).subscribe((event) => page.receive(event))
  } else {
    const client = createClient({ ...options, environment: 'testnet' })
    dashboardEvent$(client, undefined, config, health$(config)).subscribe((event) => page.receive(event))
  }
}

pageConfig$.subscribe(start)
