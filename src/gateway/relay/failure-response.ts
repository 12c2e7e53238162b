import { depthFailure, priceFailure } from '../../codec/response-text.js'
import { assertNever } from '../../domain/assert-never.js'
import type { DepthError, HttpError, PriceRequestError, Tagged, UnsupportedPair } from '../../errors/model.js'
import { textResponse, type TextResponse } from '../../server/http-response.js'

/** The client has no depth methods. */
export type NoDepth = Tagged<'NoDepth'>

export const noDepth: NoDepth = {
  _tag: 'NoDepth',
  message: 'Not Found: the client of this gateway has no depth',
}

/** The response for a request beyond the limit of the queue. */
export const tooManyRequests: TextResponse = textResponse(
  503,
  'Service Unavailable: too many requests wait for the service',
  { 'Retry-After': '1' },
)

export type RelayError = DepthError | PriceRequestError | NoDepth

/**
 * The response for an error of the client. The service's own errors keep their status and text. Failures between gateway
 * and service become 5xx with a fixed text: a 401 would make consumers doubt their own keys.
 */
export const failureResponse = (
  error: RelayError,
  unsupportedText: (error: UnsupportedPair) => string = unsupportedTopicText,
): TextResponse => {
  switch (error._tag) {
    case 'UnsupportedPair':
      return textResponse(500, unsupportedText(error))
    case 'HttpError':
      return httpErrorResponse(error)
    case 'InvalidTopic':
      return textResponse(500, invalidTupleText)
    case 'InvalidMint':
      return textResponse(400, 'Bad Request: the mint is not 0x and hex digits')
    case 'NoDepth':
      return textResponse(404, error.message)
    case 'Unauthorized':
      return textResponse(502, 'Bad Gateway: the service rejected the signature of the gateway')
    case 'NetworkError':
      return textResponse(502, 'Bad Gateway: no response from the service')
    case 'DecodeError':
      return textResponse(502, 'Bad Gateway: invalid response from the service')
    case 'InvalidInterval':
      return textResponse(502, 'Bad Gateway: invalid request to the service')
    case 'Timeout':
      return textResponse(504, 'Gateway Timeout: no complete response from the service in time')
    case 'ClientClosed':
      return textResponse(503, 'Service Unavailable: the client of this gateway is closed')
    default:
      return assertNever(error)
  }
}

/** A status that is no final response cannot be sent; 401 would be about the consumer's key, and 200 a success. */
const httpErrorResponse = ({ status, body, retryAfterMs }: HttpError): TextResponse => {
  const isSendable = Number.isInteger(status) && status > 200 && status < 600 && status !== 401
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  return isSendable
    ? textResponse(status, body, headers)
    : textResponse(502, 'Bad Gateway: unexpected status of the service', headers)
}

// The service's error texts (section 7 of the service's documentation). A test client or a replay may have an
// `UnsupportedPair` with another text, from which a consumer's client could not restore the error.

/** A malformed topic, or an internal error of the price reporter. */
const invalidTupleText = 'Invalid (exchange, base, quote) tuple'

/** The text of a depth response. `mint`: the requested one. */
export const unsupportedMintText = (
  { base = '', quote = '', body }: UnsupportedPair,
  mint: string,
): string =>
  depthFailure(failed(body))._tag === 'UnsupportedPair'
    ? body
    : `UnsupportedPair(Token { addr: "${quotable(base) || mint}" }, Token { addr: "${quotable(quote)}" })`

/** The text of a price response. */
export const unsupportedTopicText = ({ body }: UnsupportedPair): string =>
  priceFailure(failed(body))._tag === 'UnsupportedPair' ? body : invalidTupleText

const failed = (body: string) => ({ status: 500, body, retryAfterMs: undefined })

/** An address of the text; anything else is omitted. */
const quotable = (address: string): string => (/^\w+$/.test(address) ? address : '')
