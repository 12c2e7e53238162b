import { catchError, defer, map, of, retry, tap, timeout, type Observable } from 'rxjs'
import type { Health } from '../model/connection.js'
import { isServedStatus } from '../model/service-status.js'
import { isPageConfig, type ServedPageConfig } from '../model/page-config.js'

// Questions to the dashboard's own server.

/** Time within which the server answers, in ms. */
const answerTimeout = 2000

const retryDelay = 1000

const json = async (path: string): Promise<unknown> => (await fetch(path, { cache: 'no-store' })).json()

/** The configuration of the page. Asks until the server answers. */
export const pageConfig$: Observable<ServedPageConfig> = defer(() => json('/config.json')).pipe(
  timeout(answerTimeout),
  map((value) => {
    if (!isPageConfig(value)) throw new Error('the configuration of the page is not readable')
    return value
  }),
  retry({ delay: retryDelay }),
)

/** The state of the server's connection to the service. Asks once. Reloads a page that is not the server's. */
export const health$ = ({ pageId }: ServedPageConfig): Observable<Health> =>
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
