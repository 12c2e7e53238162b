import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerInstead, send, spoiled } from '../faults/http-faults.js'
import { answerDepth } from './depth-endpoint.js'
import { plainText, type HttpAnswer } from './http-answer.js'
import type { Journal } from './journal.js'
import { answerPrice } from './price-endpoint.js'
import type { ReceivedRequest } from './received.js'
import type { Service } from './service.js'

/** The relayer API and the price reporter's HTTP side (sections 4.1 and 4.2 of the service's documentation). */
export const createHttpServer = (service: Service, requests: Journal<ReceivedRequest>): Server =>
  createServer((request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    answer(service, requests, request, response, gone.signal).catch((error: unknown) => {
      // A client that goes away in the middle is no event; a market that throws must not go unnoticed.
      if (!gone.signal.aborted && request.errored === null) throw error
    })
  })

const answer = async (
  service: Service,
  requests: Journal<ReceivedRequest>,
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> => {
  const { method = '', url: path = '', headers } = request
  requests.add({ method, path, headers })
  const body = await readBody(request)
  await service.faults.unstalled()
  const { current } = service.faults
  const given =
    body === undefined
      ? plainText(413, 'Payload Too Large', { Connection: 'close' })
      : (answerInstead(current) ?? route(service, request, body))
  if (current.httpDelay !== undefined) await sleep(current.httpDelay, undefined, { signal: gone })
  if (current.clockOffset !== undefined) response.setHeader('Date', new Date(service.now()).toUTCString())
  send(response, spoiled(given, current.body), given.status === 200 && current.body === 'cut-off')
}

const depthPath = /^\/v0\/order_book\/depth\/([^/]+)$/
const pricePath = /^\/price\/([^/]+)$/

const route = (
  service: Service,
  { method, url: path = '', headers }: IncomingMessage,
  body: Buffer,
): HttpAnswer => {
  const [pathname = ''] = path.split('?')
  const mint = depthPath.exec(pathname)?.[1]
  const topic = pricePath.exec(pathname)?.[1]
  if (mint === undefined && topic === undefined) return plainText(404, 'Not Found')
  if (method !== 'GET') return plainText(405, 'Method Not Allowed', { Allow: 'GET' })
  if (mint !== undefined) return answerDepth(service, mint, { path, headers, body })
  return answerPrice(service, topic ?? '')
}

const longestBody = 64 * 1024

/** The whole body; `undefined` where it is too long. */
const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= longestBody) chunks.push(chunk)
  }
  return length > longestBody ? undefined : Buffer.concat(chunks)
}
