import { STATUS_CODES, type ServerResponse } from 'node:http'
import { plainText, type HttpAnswer } from '../service/http-answer.js'
import type { HttpFaults } from './faults.js'

const oversize = ' '.repeat(2 * 1024 * 1024)
const gatewayPage = '<html><body><h1>Bad gateway</h1></body></html>'

/** The answer that comes instead of a good one, where the faults ask for one. */
export const answerInstead = ({ httpStatus, redirect, retryAfter }: HttpFaults): HttpAnswer | undefined => {
  const status = httpStatus ?? (redirect === undefined ? undefined : 302)
  if (status === undefined) return undefined
  return plainText(status, STATUS_CODES[status] ?? 'Unknown', {
    ...(redirect === undefined ? {} : { Location: new URL(redirect).href }),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  })
}

/** What the faults make of an answer. */
export const spoiled = (answer: HttpAnswer, fault: HttpFaults['body']): HttpAnswer => {
  const isJson = answer.headers['Content-Type'] === 'application/json'
  if (answer.status !== 200 || fault === undefined) return answer
  switch (fault) {
    case 'truncated':
      return isJson ? { ...answer, body: answer.body.slice(0, answer.body.length / 2) } : answer
    case 'oversized':
      return { ...answer, body: answer.body + oversize }
    case 'html':
      return { ...answer, headers: { 'Content-Type': 'text/html' }, body: gatewayPage }
    case 'cut-off':
      return answer
  }
}

/** Statuses that say that nothing follows. */
const bodiless = [204, 304]

/** Sends the answer: whole, or only half of it and then nothing any more. */
export const send = (
  response: ServerResponse,
  { status, headers, body }: HttpAnswer,
  isCutOff: boolean,
): void => {
  if (bodiless.includes(status)) {
    response.writeHead(status, headers).end()
    return
  }
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  if (!isCutOff) response.end(body)
  else response.write(body.slice(0, body.length / 2), () => response.destroy())
}
