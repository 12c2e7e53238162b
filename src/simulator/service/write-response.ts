import type { ServerResponse } from 'node:http'
import { isBodiless, type TextResponse } from '../../server/text-response.js'

/** Writes a response. If `isCutOff`, writes half of the body and then closes the connection. */
export const writeResponse = (
  to: ServerResponse,
  { status, headers, body }: TextResponse,
  { isCutOff }: { readonly isCutOff: boolean } = { isCutOff: false },
): void => {
  if (isBodiless(status)) {
    to.writeHead(status, headers).end()
    return
  }
  to.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  if (!isCutOff) to.end(body)
  else to.write(body.slice(0, body.length / 2), () => to.destroy())
}
