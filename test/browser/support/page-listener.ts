import type { RequestListener } from 'node:http'

/** Answers with a page at each path, and with its script at `/page.js`. */
export const pageListener =
  (html: string, script: string): RequestListener =>
  (request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  }
