import { catchError, defer, EMPTY, filter, map, of, retry, tap, timeout, type Observable } from 'rxjs'
import { createClient } from '../../client/in-browser.js'
import type { Health } from '../../display/connection.js'
import { pageEvent$ } from '../model/events.js'
import {
  isPageConfig,
  isServedPast,
  isServedStatus,
  type PageConfig,
  type ServedPageConfig,
  type ServedPast,
} from '../model/served.js'
import { DashboardPage } from './dashboard-page.js'

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
  past$.subscribe((past) => page.addPast(past))
  const options = optionsOf(config)
  if (config.environment === 'mainnet') {
    const client = createClient({
      ...options,
      environment: 'mainnet',
      baseUrl: location.origin,
      unsigned: true,
    })
    pageEvent$(client, client, config, health$(config)).subscribe((event) => page.receive(event))
  } else {
    const client = createClient({ ...options, environment: 'testnet' })
    pageEvent$(client, undefined, config, health$(config)).subscribe((event) => page.receive(event))
  }
}

// Requests to the dashboard's own server.

/** Time within which the server answers, in ms. */
const answerTimeout = 2000

const retryDelay = 1000

const json = async (path: string): Promise<unknown> => (await fetch(path, { cache: 'no-store' })).json()

/** The configuration of the page. Repeats the request until the server answers. */
const pageConfig$: Observable<ServedPageConfig> = defer(() => json('/config.json')).pipe(
  timeout(answerTimeout),
  map((value) => {
    if (!isPageConfig(value)) throw new Error('the configuration of the page is not readable')
    return value
  }),
  retry({ delay: retryDelay }),
)

/** The prices from before the page was opened. Completes without them if the server does not answer with them. */
const past$: Observable<ServedPast> = defer(() => json('/past.json')).pipe(
  filter(isServedPast),
  catchError(() => EMPTY),
)

/** The state of the server's connection to the service. One request. Reloads a page that is not the server's. */
const health$ = ({ pageId }: ServedPageConfig): Observable<Health> =>
  defer(() => json('/status.json')).pipe(
    timeout(answerTimeout),
    tap((value) => {
      if (isServedStatus(value) && value.pageId !== pageId) location.reload()
    }),
    map(healthOf),
    catchError(() => of<Health>({ _tag: 'Gone' })),
  )

const healthOf = (status: unknown): Health => {
  if (!isServedStatus(status)) return { _tag: 'Up' }
  return status.isUp ? { _tag: 'Up', behind: status.behind } : { _tag: 'Down', reason: status.reason }
}

pageConfig$.subscribe(start)
