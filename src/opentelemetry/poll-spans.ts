import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { assertNever } from '../domain/assert-never.js'
import type { DepthError } from '../errors/model.js'
import { currentClock } from '../time/current-clock.js'
import { errorAttributes, isStatus, serverAttributes, listen } from './messages.js'

const route = '/v0/order_book/depth/{mint}'

/**
 * One client span per poll. A poll is shared by its subscribers, so its span has no parent. Returns the function that stops
 * them.
 */
export const pollSpans = (tracer: Tracer): (() => void) =>
  listen({
    'svc-streams:poll': ({ host, durationMs, error }) => {
      const endTime = currentClock().wallClock()
      const status = statusOf(error)
      const span = tracer.startSpan(`GET ${route}`, {
        kind: SpanKind.CLIENT,
        root: true,
        startTime: endTime - durationMs,
        attributes: {
          'http.request.method': 'GET',
          ...serverAttributes(host),
          'url.template': route,
          ...(isStatus(status) ? { 'http.response.status_code': status } : {}),
          ...errorAttributes(error?._tag),
        },
      })
      // Without the message, which contains the mint.
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endTime)
    },
  })

/** The status of the response; `undefined` if it is not known. */
const statusOf = (error: DepthError | undefined): number | undefined => {
  if (error === undefined) return 200
  switch (error._tag) {
    case 'HttpError':
      return error.status
    case 'Unauthorized':
      return 401
    case 'UnsupportedPair':
      return 500
    case 'ClientClosed':
    case 'DecodeError':
    case 'InvalidInterval':
    case 'InvalidMint':
    case 'NetworkError':
    case 'Timeout':
      return undefined
    default:
      return assertNever(error)
  }
}
