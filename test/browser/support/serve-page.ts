import { startHttpServer } from '../../support/network/servers.js'

/** Serves a page, and its script as `/page.js`. Returns the origin. */
export const servePage = (html: string, script: string): Promise<string> =>
  startHttpServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
