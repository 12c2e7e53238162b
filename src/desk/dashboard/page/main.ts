import { catchError, defer, EMPTY, filter, map, of, repeat, take, type Observable } from 'rxjs'
import { createClientOn } from '../../../client/create-client.js'
import type { Health } from '../../display/connection.js'
import type { DisplayEvent } from '../../display/display.js'
import { unsignedBrowser } from '../../../wire/platform/browser/unsigned-browser.js'
import { pageEvent$ } from '../model/events.js'
import {
  isPageConfig,
  isServedPast,
  isServedStatus,
  type ServedPageConfig,
  type ServedPast,
} from '../model/served.js'
import { DashboardPage } from './dashboard-page.js'
import { registerColours } from './price-chart.js'
import { restoreTheme } from './theme.js'

/** Upper bound of the wait between two attempts to connect, in ms: the server is on this machine. */
const maxReconnectDelay = 2000

/** Time between two signs of life, and time within which the second one must arrive, in ms. */
const pingInterval = 5000
const pongTimeout = 3000

/** The server of the page signs the requests for depth. */
const createClient = createClientOn(unsignedBrowser)

const start = (config: ServedPageConfig): void => {
  const page = new DashboardPage(document.body, config)
  const receive = (event: DisplayEvent): void => {
    page.receive(event)
    // What has happened while the page, or its server, was away.
    if (event._tag === 'Status' && event.status._tag === 'Open') readPast(page)
  }
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) readPast(page)
  })
  readPast(page)
  const { origin } = location
  const { service, staleAfter } = config
  const options = {
    service,
    staleAfter,
    priceBaseUrl: origin,
    priceWsUrl: origin.replace(/^http/, 'ws'),
    reconnect: { maxDelay: maxReconnectDelay },
    pingInterval,
    pongTimeout,
  }
  if (config.environment === 'mainnet') {
    const client = createClient({ ...options, environment: 'mainnet', baseUrl: origin, unsigned: true })
    pageEvent$(client, client, config, health$(config)).subscribe(receive)
  } else {
    const client = createClient({ ...options, environment: 'testnet' })
    pageEvent$(client, undefined, config, health$(config)).subscribe(receive)
  }
}

// Requests to the dashboard's own server.

/** Time within which the server answers, in ms. */
const answerTimeout = 2000

const retryDelay = 1000

const json = async (path: string, signal: AbortSignal | null = null): Promise<unknown> =>
  (await fetch(path, { cache: 'no-store', signal })).json()

const jsonInTime = (path: string): Promise<unknown> => json(path, AbortSignal.timeout(answerTimeout))

/** The configuration of the page. Repeats the request until the server answers. */
const pageConfig$: Observable<ServedPageConfig> = defer(() => jsonInTime('/config.json')).pipe(
  catchError(() => EMPTY),
  filter(isPageConfig),
  repeat({ delay: retryDelay }),
  take(1),
)

/** Fills the charts with what the server has received. */
const readPast = (page: DashboardPage): unknown => past$.subscribe((past) => page.addPast(past))

/** The past prices. Completes without them if the server does not answer with them. */
const past$: Observable<ServedPast> = defer(() => json('/past.json')).pipe(
  filter(isServedPast),
  catchError(() => EMPTY),
)

/** The state of the server's connection to the service. One request. Reloads a page that is not the server's. */
const health$ = ({ pageId }: ServedPageConfig): Observable<Health> =>
  defer(() => jsonInTime('/status.json')).pipe(
    map((value): Health => {
      if (!isServedStatus(value)) return { _tag: 'Up' }
      const { isUp, behind, reason } = value
      if (value.pageId !== pageId) location.reload()
      return isUp ? { _tag: 'Up', behind } : { _tag: 'Down', reason }
    }),
    catchError(() => of<Health>({ _tag: 'Gone' })),
  )

restoreTheme()
registerColours()
pageConfig$.subscribe(start)
