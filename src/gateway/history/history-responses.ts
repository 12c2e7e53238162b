import { isLeft, isRight, right, type Either } from 'fp-ts/lib/Either.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Subscription, timer } from 'rxjs'
import { parseRange, type CoveredTopic } from '../../backtest/history/history.js'
import { parseTopic } from '../../wire/codec/arguments.js'
import { type PastEvent, positionField, type PricePosition } from '../../base/domain/past.js'
import { withPlainDecimals } from '../../base/domain/plain-decimal.js'
import type { Topic } from '../../base/domain/topic.js'
import type { HistoryError, WriteError } from '../../base/errors/model.js'
import { escapeUnsafe } from '../../base/errors/text.js'
import type { TimeRange } from '../../backtest/recording/codec/timeline.js'
import { jsonResponse, textResponse, type TextResponse } from '../server/http-response.js'
import { withoutQuery } from '../server/request.js'
import { reportError } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { commonHeaders, writeGatewayResponse } from '../http/http-server.js'
import type { Requester } from '../coalescing/turns.js'
import type { GatewayHistory } from './gateway-history.js'
import { Readings, type Reading } from './readings.js'

const path = '/history'

/** True for `/history` and `/history/<topic>`, without a query. */
export const isHistoryPath = (target: string): boolean => target === path || target.startsWith(`${path}/`)

export const noHistory = textResponse(404, 'Not Found: this gateway has no history')

const tooManyReadings = textResponse(503, 'Service Unavailable: too many consumers read the history', {
  'Retry-After': '1',
})

export type RespondHistory = (
  request: IncomingMessage,
  response: ServerResponse,
  requester: Requester,
) => void

export const historyResponses = (
  history: GatewayHistory,
  { service, clock }: { readonly service: string; readonly clock: Clock },
): RespondHistory => {
  const readings = new Readings(clock)
  const respond = async (
    { url = '', headers }: IncomingMessage,
    response: ServerResponse,
    reading: Reading,
  ): Promise<void> => {
    if (withoutQuery(url) === path) {
      const { closing } = reading
      const topics = await history.topics({ closing, flush: () => reading.turn() })
      writeGatewayResponse(response, topicsResponse(topics))
      return
    }
    const asked = parseRequest(url, service, clock.wallClock())
    if (isLeft(asked)) writeGatewayResponse(response, failureOf(asked.left))
    else await streamPast(history, asked.right, reading, response, acceptsGzip(headers['accept-encoding']))
  }
  return (request, response, requester) => {
    const reading = readings.start(requester, () => {
      if (response.headersSent) response.destroy()
      else writeGatewayResponse(response, tooManyReadings)
    })
    response.once('close', () => reading.closing.unsubscribe())
    void respond(request, response, reading)
      .catch((thrown: unknown) => {
        reportError(thrown)
        response.destroy()
      })
      .finally(() => reading.closing.unsubscribe())
  }
}

const topicsResponse = (topics: Either<WriteError, readonly CoveredTopic[]>): TextResponse =>
  isLeft(topics) ? failureOf(topics.left) : jsonResponse(200, escapeUnsafe(JSON.stringify(topics.right)))

interface PastRequest {
  readonly topic: Topic
  readonly range: TimeRange
}

/** `now`: in ms since the Unix epoch. */
const parseRequest = (url: string, service: string, now: number): Either<HistoryError, PastRequest> => {
  const target = withoutQuery(url)
  const query = new URLSearchParams(url.slice(target.length + 1))
  const topic = parseTopic(target.slice(path.length + 1), service)
  if (isLeft(topic)) return topic
  const from = timeOf(query.get('from'))
  // The future has no rows. This ms may have some.
  const end = Math.floor(now) + 1
  const range = parseRange(from, query.has('to') ? timeOf(query.get('to')) : end)
  if (isLeft(range)) return range
  const to = Math.max(from, Math.min(range.right.to, end))
  return right({ topic: topic.right, range: { from, to } })
}

/** Any other text is unchanged, because the error contains it. */
const timeOf = (text: string | null): number =>
  text !== null && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : ((text ?? 'nothing') as never)

/** Size of the text that is written at once, in characters. */
const pieceLength = 2 ** 16

/** Lines of JSON. A failure after the first chunk ends the connection before the end of the response. */
const streamPast = async (
  history: GatewayHistory,
  { topic, range }: PastRequest,
  reading: Reading,
  response: ServerResponse,
  isGzip: boolean,
): Promise<void> => {
  const { closing } = reading
  let body: Writable | undefined
  let text = ''
  const write = async (): Promise<void> => {
    body ??= openBody(response, isGzip)
    if (response.req.method === 'HEAD') {
      body.end()
      closing.unsubscribe()
      return
    }
    const isFree = body.write(text)
    text = ''
    if (!isFree) await reading.holdUp(drained(body, response, closing))
  }
  const result = await history.read(topic, range, {
    emit: (event, position) => (text += lineOf(event, position)),
    closing,
    flush: async () => {
      if (text.length >= pieceLength) await write()
      await reading.turn()
    },
  })
  if (closing.closed) return
  if (isRight(result)) {
    await write()
    body?.end()
  } else if (body === undefined) writeGatewayResponse(response, failureOf(result.left))
  else response.destroy()
}

const lineOf = (event: PastEvent, position: PricePosition | undefined): string => {
  const json = withPlainDecimals(JSON.stringify(event))
  return position === undefined ? `${json}\n` : `${json.slice(0, -1)}${positionField(position)}}\n`
}

const openBody = (response: ServerResponse, isGzip: boolean): Writable => {
  response.writeHead(200, {
    ...commonHeaders,
    'Content-Type': 'application/x-ndjson',
    Vary: 'Origin, Accept-Encoding',
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
  })
  if (!isGzip) return response
  const gzip = createGzip()
  gzip.pipe(response)
  response.once('close', () => gzip.destroy())
  return gzip
}

const acceptsGzip = (header: string | string[] = ''): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(header))

/** A consumer that reads nothing for this time is disconnected, because it takes the place of another reading. In ms. */
const longestStall = 60_000

/** Resolves when the consumer has read, or has left. */
const drained = (body: Writable, response: ServerResponse, closing: Subscription): Promise<void> =>
  new Promise((resolve) => {
    const waiting = new Subscription(resolve)
    closing.add(waiting)
    body.once('drain', () => waiting.unsubscribe())
    waiting.add(timer(longestStall).subscribe(() => response.destroy()))
  })

/** The texts contain no path of the gateway. */
const failureOf = (error: HistoryError | WriteError): TextResponse => {
  switch (error._tag) {
    case 'InvalidTopic':
    case 'InvalidRange':
      return textResponse(400, `Bad Request: ${error.message}`)
    case 'UnknownTopic':
      return textResponse(404, error.message)
    case 'WriteError':
      return textResponse(503, 'Service Unavailable: the history cannot be written now', {
        'Retry-After': '10',
      })
    case 'RecordingError':
    case 'DecodeError':
    case 'HttpError':
    case 'NetworkError':
    case 'Timeout':
      return textResponse(
        500,
        'Internal Server Error: this part of the history cannot be read. The gateway reports the file and the line',
      )
  }
}
