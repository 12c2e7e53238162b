import type { IncomingMessage } from 'node:http'

/** In bytes. The service's requests have no body. */
export const maxBodyBytes = 16 * 1024

/** Calls back once with the complete body, or with `undefined` if it exceeds `maxBodyBytes`. Not if the request is aborted. */
export const readBody = (request: IncomingMessage, onBody: (body: Uint8Array | undefined) => void): void => {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
    onBody(undefined)
    return
  }
  const chunks: Buffer[] = []
  let length = 0
  request.on('error', () => undefined)
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    chunks.push(chunk)
    if (length <= maxBodyBytes) return
    request.removeAllListeners('data').removeAllListeners('end').pause()
    onBody(undefined)
  })
  request.on('end', () => onBody(Buffer.concat(chunks)))
}
