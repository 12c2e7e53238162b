import { startHttpServer } from '../../support/network/servers.js'
import { pageListener } from './page-listener.js'

/** Serves a page, and its script as `/page.js`. Returns the origin. */
export const servePage = (html: string, script: string): Promise<string> =>
  startHttpServer(pageListener(html, script))
