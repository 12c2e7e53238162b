import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isPreflight } from '../../server/is-preflight.js'
import { textResponse, type TextResponse } from '../../server/text-response.js'
import { injectedResponse, withBodyFault } from '../faults/http-faults.js'
import { allowAnyOrigin, answerPreflight } from './cors.js'
import { handleDepth } from './depth-endpoint.js'
import { handlePrice } from './price-endpoint.js'
import type { ReceivedLog, ReceivedRequest } from './received-log.js'
import type { ServiceContext } from './service-context.js'
import { writeResponse } from './write-response.js'

/** HTTP server of the relayer API and of the price reporter (sections 4.1 and 4.2 of the service's documentation). */
export const createHttpServer = (context: ServiceContext, requests: ReceivedLog<ReceivedRequest>): Server =>
  createServer((request, response) => {
    const closed = new AbortController()
    response.once('close', () => closed.abort())
    handleRequest(context, requests, request, response, closed.signal).catch((error: unknown) => {
      // A client that disconnects early is not an error. An exception from a market must surface.
      if (!closed.signal.aborted && request.errored === null) throw error
    })
  })

const handleRequest = async (
  context: ServiceContext,
  requests: ReceivedLog<ReceivedRequest>,
  request: IncomingMessage,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> => {
  if (context.cors && isPreflight(request)) {
    answerPreflight(request, response)
    return
  }
  if (context.cors) allowAnyOrigin(response)
  const { method = '', url: path = '', headers } = request
  requests.add({ method, path, headers })
  const body = await readBody(request)
  await context.faults.whenNotStalled()
  const { current: faults } = context.faults
  const result =
    body === undefined
      ? textResponse(413, 'Payload Too Large', { Connection: 'close' })
      : (injectedResponse(faults) ?? route(context, request, body))
  if (faults.httpDelay !== undefined) await sleep(faults.httpDelay, undefined, { signal: closed })
  if (faults.clockOffset !== undefined) response.setHeader('Date', new Date(context.now()).toUTCString())
  const isCutOff = result.status === 200 && faults.body === 'cut-off'
  writeResponse(response, withBodyFault(result, faults.body), { isCutOff })
}

const depthPath = /^\/v0\/order_book\/depth\/([^/]+)$/
const pricePath = /^\/price\/([^/]+)$/

const route = (
  context: ServiceContext,
  { method, url: path = '', headers }: IncomingMessage,
  body: Buffer,
): TextResponse => {
  const [pathname = ''] = path.split('?')
  const mint = depthPath.exec(pathname)?.[1]
  const topic = pricePath.exec(pathname)?.[1]
  if (mint === undefined && topic === undefined) return textResponse(404, 'Not Found')
  if (method !== 'GET') return textResponse(405, 'Method Not Allowed', { Allow: 'GET' })
  if (mint !== undefined) return handleDepth(context, mint, { path, headers, body })
  return handlePrice(context, topic ?? '')
}

const maxBodyBytes = 64 * 1024

/** The complete body; `undefined` if it exceeds `maxBodyBytes`. */
const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= maxBodyBytes) chunks.push(chunk)
  }
  return length > maxBodyBytes ? undefined : Buffer.concat(chunks)
}
