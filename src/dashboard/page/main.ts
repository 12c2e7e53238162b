import { defer, tap, type Observable } from 'rxjs'
import { createClientOn } from '../../client/create-client.js'
import type { DisplayEvent } from '../../view/display.js'
import { unsignedBrowser } from '../../wire/platform/browser/unsigned-browser.js'
import { maxAnswerTime } from '../../view/token-state.js'
import { pageEvent$ } from '../../view/events.js'
import type { PageConfig, Served, ServedFills, ServedPast, ServedStatus } from '../../view/served.js'
import { DashboardPage } from './dashboard-page.js'
import { part } from './html.js'
import { registerColours } from './price-chart.js'
import { restoreTheme } from './theme.js'

/** Upper bound of the wait between two attempts to connect, in ms: the server is on this machine. */
const maxReconnectDelay = 2000

/** Time between two signs of life, and time within which the second one must arrive, in ms. */
const pingInterval = 5000
const pongTimeout = 3000

const createClient = createClientOn(unsignedBrowser)

type Config = Served<PageConfig>

const start = (config: Config): void => {
  const page = new DashboardPage(document.body, config)
  const receive = (event: DisplayEvent): void => {
    page.receive(event)
    // What has happened while the page, or its server, was away.
    if (event._tag === 'Status' && event.status._tag === 'Open') readPast(page, config)
  }
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) readPast(page, config)
  })
  readPast(page, config)
  const { origin } = location
  const { service, environment, staleAfter } = config
  const client = createClient({
    ...{ environment, service, staleAfter, pingInterval, pongTimeout },
    priceBaseUrl: origin,
    priceWsUrl: origin.replace(/^http/, 'ws'),
    reconnect: { maxDelay: maxReconnectDelay },
  })
  pageEvent$(client, config, status$(page, config)).subscribe(receive)
}

// Requests to the dashboard's own server.

/** An answer of the server. Reloads a page that is not the server's. */
const served = async <A>({ pageId }: Config, path: string, signal: AbortSignal | null = null): Promise<A> => {
  const answer = (await (await fetch(path, { cache: 'no-store', signal })).json()) as Served<A>
  if (answer.pageId === pageId) return answer
  if (typeof answer.pageId === 'string') location.reload()
  throw new Error(path)
}

/** Fills the charts with what the server has received, unless it does not answer. */
const readPast = (page: DashboardPage, config: Config): void => {
  served<ServedPast>(config, '/past.json').then(({ prices }) => page.addPast(prices), ignore)
}

/** One request for the status of the server, and for the fills if they are new. */
const status$ = (page: DashboardPage, config: Config): Observable<ServedStatus> =>
  defer(() => served<ServedStatus>(config, '/status.json', AbortSignal.timeout(maxAnswerTime))).pipe(
    tap(({ fillsVersion }) => {
      if (fillsVersion === page.fillsVersion) return
      served<ServedFills>(config, '/fills.json').then(
        ({ fills }) => page.showFills(fills, fillsVersion),
        ignore,
      )
    }),
  )

const ignore = (): void => undefined

restoreTheme()
registerColours()
start(JSON.parse(part(document.head, '[type]').textContent) as Config)
