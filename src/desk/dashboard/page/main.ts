import { catchError, defer, map, of, type Observable } from 'rxjs'
import { createClientOn } from '../../../client/create-client.js'
import type { Health } from '../../display/connection.js'
import type { DisplayEvent } from '../../display/display.js'
import { unsignedBrowser } from '../../../wire/platform/browser/unsigned-browser.js'
import { pageEvent$ } from '../model/events.js'
import type {
  PageConfig,
  Served,
  ServedDepths,
  ServedFills,
  ServedPast,
  ServedStatus,
} from '../model/served.js'
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
  const depths$ = defer(() => servedInTime<ServedDepths>(config, '/depths.json'))
  pageEvent$(client, config, health$(page, config), depths$).subscribe(receive)
}

// Requests to the dashboard's own server.

/** Time within which the server answers, in ms. */
const answerTimeout = 2000

/** An answer of the server. Reloads a page that is not the server's. */
const served = async <A>({ pageId }: Config, path: string, signal: AbortSignal | null = null): Promise<A> => {
  const answer = (await (await fetch(path, { cache: 'no-store', signal })).json()) as Served<A>
  if (answer.pageId === pageId) return answer
  if (typeof answer.pageId === 'string') location.reload()
  throw new Error(path)
}

const servedInTime = <A>(config: Config, path: string): Promise<A> =>
  served(config, path, AbortSignal.timeout(answerTimeout))

/** Fills the charts with what the server has received, unless it does not answer. */
const readPast = (page: DashboardPage, config: Config): void => {
  served<ServedPast>(config, '/past.json').then(({ prices }) => page.addPast(prices), ignore)
}

/** The state of the server's connection to the service. One request. */
const health$ = (page: DashboardPage, config: Config): Observable<Health> =>
  defer(() => servedInTime<ServedStatus>(config, '/status.json')).pipe(
    map(({ isUp, behind, reason, fillsVersion }): Health => {
      if (fillsVersion !== page.fillsVersion)
        served<ServedFills>(config, '/fills.json').then(
          ({ fills }) => page.showFills(fills, fillsVersion),
          ignore,
        )
      return isUp ? { _tag: 'Up', behind } : { _tag: 'Down', reason }
    }),
    catchError(() => of<Health>({ _tag: 'Gone' })),
  )

const ignore = (): void => undefined

restoreTheme()
registerColours()
start(JSON.parse(part(document.head, '[type]').textContent) as Config)
