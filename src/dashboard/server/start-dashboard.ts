import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  defer,
  EMPTY,
  map,
  merge,
  of,
  ReplaySubject,
  share,
  Subscription,
  takeUntil,
  type Observable,
} from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import type { History } from '../../backtest/history/history.js'
import { scriptJson } from '../../view/format.js'
import { bigintAsText } from '../../base/domain/plain-decimal.js'
import type { Topic } from '../../base/domain/topic.js'
import type { HttpResponse } from '../../gateway/server/http-response.js'
import type { Pages } from '../../gateway/http/request-handler.js'
import { runGateway } from '../../gateway/run-gateway.js'
import type { PageConfig, Served, ServedEvent } from '../../view/served.js'
import type { JournalFills } from './journal-fills.js'
import { pageDepth$ } from './page-depths.js'
import { pageHealth$ } from './page-health.js'
import { PagePast } from './page-past.js'

/** The files of the page, as `npm run build:page` writes them. */
export interface PageFiles {
  readonly html: string
  readonly style: string
  readonly script: string
}

/** Reads the files of the page from a folder. Default: that of the installed package. */
export const readPageFiles = async (folder = packagedFolder()): Promise<PageFiles> => {
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const [html, style, script] = await Promise.all([read('index.html'), read('main.css'), read('main.js')])
  return { html, style, script }
}

/** The package is found by its name, because a bundler may have moved this code inside the package. */
const packagedFolder = (): string =>
  join(createRequire(import.meta.url).resolve('svc-streams/package.json'), '../dist/dashboard')

export interface DashboardOptions {
  /** Port to listen on, for the page, HTTP and WebSocket; 0 picks a free port. */
  readonly port: number
  /** Why there are no more prices once the client has closed. */
  readonly closedReason: string
  readonly files: PageFiles
  readonly config: PageConfig
  /** The history of the source. Default: none. */
  readonly history?: History | undefined
  /** The fills of an account. Default: none. */
  readonly fills?: JournalFills | undefined
}

export interface DashboardServer {
  /** Address of the page, `http://127.0.0.1:<port>/`. */
  readonly url: string
  /** Ends all connections. Resolves when the port is free. Idempotent. */
  readonly close: () => Promise<void>
}

/** Serves the page and a gateway on one port of loopback. Does not close the client, which has depth if there is a `depthInterval`. */
export const startDashboard = async (
  client: PriceClient | Client,
  { port, closedReason, files, config, history, fills }: DashboardOptions,
): Promise<DashboardServer> => {
  let webSockets: readonly string[] = []
  const closed$ = new ReplaySubject<void>(1)
  const past = new PagePast(client, config, history)
  const health$ = pageHealth$(client, closedReason).pipe(
    takeUntil(closed$),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: false, resetOnComplete: false }),
  )
  const pageId = pageIdOf(files, config)
  const depth$ = pageDepth$(client as Client, config)
  const event$: Observable<ServedEvent> = merge(
    of({ _tag: 'Page', pageId } as const),
    health$.pipe(map((health) => ({ _tag: 'Health', health }) as const)),
    depth$,
    defer(() => past.read$()),
    fills === undefined ? EMPTY : fills.entries$.pipe(map((all) => ({ _tag: 'Fills', fills: all }) as const)),
  )
  const text$ = event$.pipe(
    map((event) => JSON.stringify(event, bigintAsText)),
    takeUntil(closed$),
  )
  const html = withConfig(files.html, { ...config, pageId })
  const routes: Readonly<Record<string, () => HttpResponse>> = {
    '/': () => ok('text/html; charset=utf-8', html, pageHeaders(webSockets)),
    '/main.css': () => ok('text/css; charset=utf-8', files.style),
    '/main.js': () => ok('text/javascript; charset=utf-8', files.script),
  }
  const pages: Pages = (path) => (Object.hasOwn(routes, path) ? routes[path]?.() : undefined)
  const record = (topic: Topic): Subscription => {
    past.record(topic)
    return Subscription.EMPTY
  }
  const streams$ = (path: string) => (path === '/events' ? text$ : undefined)
  const { gateway } = await runGateway(client, { port, service: config.service }, { pages, streams$, record })
  // Not every browser counts these as the origin of the page.
  webSockets = ['127.0.0.1', 'localhost'].map((name) => gateway.priceWsUrl.replace('127.0.0.1', name))
  health$.subscribe()
  const close = (): Promise<void> => {
    closed$.next()
    past.close()
    return gateway.close()
  }
  return { url: `${gateway.baseUrl}/`, close }
}

/** The page with its configuration: a block of data, which no browser runs. */
const withConfig = (html: string, config: Served<PageConfig>): string =>
  html.replace('</head>', (end) => `<script type="application/json">${scriptJson(config)}</script>${end}`)

const pageIdOf = (files: PageFiles, config: PageConfig): string =>
  createHash('sha256')
    .update(JSON.stringify([files, config]))
    .digest('base64url')

const ok = (type: string, body: string, headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': type, ...headers },
  body,
})

/** The page loads nothing from elsewhere, runs no other script, and cannot be embedded. */
const pageHeaders = (webSockets: readonly string[]): HttpResponse['headers'] => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    ["connect-src 'self'", ...webSockets].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
})
