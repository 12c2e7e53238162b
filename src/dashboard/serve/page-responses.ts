import { createHash } from 'node:crypto'
import type { Pages } from '../../gateway/http/routes.js'
import { jsonResponse, type HttpResponse } from '../../server/http-response.js'
import { rxClock } from '../../time/rx-clock.js'
import type { PageConfig, ServedPageConfig } from '../model/page-config.js'
import { servedStatus, type ServedStatus, type ServiceStatus } from '../model/service-status.js'
import type { PageFiles } from './page-files.js'

/** What the server answers besides the protocol of the service. */
export interface PageContent {
  readonly files: PageFiles
  readonly config: PageConfig
  readonly status: () => ServiceStatus
  /** The WebSocket addresses of the server: not every browser counts them as the page's own origin. */
  readonly webSockets: () => readonly string[]
}

/** The pages of the dashboard, by path. */
export const pagesOf = ({ files, config, status, webSockets }: PageContent): Pages => {
  const pageId = pageIdOf(files, config)
  const routes: Readonly<Record<string, () => HttpResponse>> = {
    '/': () => ({
      ...ok('text/html; charset=utf-8', files.html),
      headers: { 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders(webSockets()) },
    }),
    '/main.css': () => ok('text/css; charset=utf-8', files.style),
    '/main.js': () => ok('text/javascript; charset=utf-8', files.script),
    '/config.json': () => json({ ...config, pageId }),
    '/status.json': () => json(servedStatus(status(), rxClock.elapsed(), pageId)),
  }
  return (path) => (Object.hasOwn(routes, path) ? routes[path]?.() : undefined)
}

const json = (content: ServedPageConfig | ServedStatus): HttpResponse =>
  jsonResponse(200, JSON.stringify(content))

const pageIdOf = (files: PageFiles, config: PageConfig): string =>
  createHash('sha256')
    .update(JSON.stringify([files, config]))
    .digest('base64url')

const ok = (type: string, body: string): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': type },
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
