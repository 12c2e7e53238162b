import { webSocket } from 'rxjs/webSocket'
import { createClientOn } from '../../client/create-client.js'
import { unsignedBrowser } from '../../wire/platform/browser/unsigned-browser.js'
import { pageEvent$ } from './events.js'
import type { PageConfig, Served, ServedEvent } from '../../view/served.js'
import { DashboardPage } from './dashboard-page.js'
import { part } from './html.js'
import { restoreTheme } from './theme.js'

/** Upper bound of the wait between two attempts to connect, in ms: the server is on this machine. */
const maxReconnectDelay = 2000

/** Time between two signs of life, and time within which the second one must arrive, in ms. */
const pingInterval = 5000
const pongTimeout = 3000

/** Age of a price above which it is not shown as current, in ms. */
const maxLag = 5000

const createClient = createClientOn(unsignedBrowser)

const start = (config: Served<PageConfig>): void => {
  const { origin } = location
  const { service, environment, staleAfter } = config
  const priceWsUrl = origin.replace(/^http/, 'ws')
  const client = createClient({
    ...{ environment, service, staleAfter, maxLag, pingInterval, pongTimeout },
    priceBaseUrl: origin,
    priceWsUrl,
    reconnect: { maxDelay: maxReconnectDelay },
  })
  const isLate = (): boolean => client.inspect().lines.some(({ lagMs }) => (lagMs ?? 0) > maxLag)
  const page = new DashboardPage(document.body, config, isLate)
  pageEvent$(client, config, webSocket<ServedEvent>(`${priceWsUrl}/events`)).subscribe((event) => {
    // The server has started again, with other files or tokens.
    if (event._tag === 'Page' && event.pageId !== config.pageId) location.reload()
    else page.receive(event)
  })
}

restoreTheme()
start(JSON.parse(part(document.head, '[type]').textContent) as Served<PageConfig>)
