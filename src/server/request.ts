import type { IncomingMessage } from 'node:http'

// The paths of the service's HTTP API (section 4 of its documentation). A path is neither decoded nor normalised.

const depthPath = /^\/v0\/order_book\/depth\/([^/?]+)$/
const pricePath = /^\/price\/([^/?]+)$/

/** The mint of a depth request; `undefined` for another path. `path`: without its query. */
export const depthMintOf = (path: string): string | undefined => depthPath.exec(path)?.[1]

/** The topic of a price request; `undefined` for another path. `path`: without its query. */
export const priceTopicOf = (path: string): string | undefined => pricePath.exec(path)?.[1]

/** Calls back once with the complete body, or with `undefined` if it exceeds `maxBytes`. Not if the request is aborted. */
export const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Uint8Array | undefined) => void,
): void => {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    onBody(undefined)
    return
  }
  const chunks: Buffer[] = []
  let length = 0
  request.on('error', () => undefined)
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    chunks.push(chunk)
    if (length <= maxBytes) return
    request.removeAllListeners('data').removeAllListeners('end').pause()
    onBody(undefined)
  })
  request.on('end', () => onBody(Buffer.concat(chunks)))
}
