import { isRight } from 'fp-ts/lib/Either.js'
import { decodePriceText, priceFailure } from '../../../src/wire/codec/response-text.js'
import { serviceOf } from '../../../src/base/domain/topic.js'
import {
  brokenIf,
  passed,
  quoted,
  unknownAddress,
  type ConformanceTarget,
  type Verdict,
  type Verdicts,
} from './rules.js'

export interface HttpResponse {
  readonly status: number
  readonly text: string
}

export const get = async ({ http, limit }: ConformanceTarget, path: string): Promise<HttpResponse> => {
  const response = await fetch(http + path, { signal: AbortSignal.timeout(limit) })
  return { status: response.status, text: await response.text() }
}

/** A response in a verdict. */
export const responseText = ({ status, text }: HttpResponse): string => `${quoted(text)} with ${status}`

/** Checks prices over HTTP. */
export const checkHttp = async (target: ConformanceTarget): Promise<Verdicts> => {
  const service = serviceOf(target.topic)
  return {
    'http-price': priceVerdict(await get(target, `/price/${target.topic}`)),
    'http-token-rejected': rejectionVerdict(await get(target, `/price/${service}-${unknownAddress}`)),
    'http-topic-rejected': rejectionVerdict(await get(target, `/price/${service}-no-address`)),
  }
}

const priceVerdict = (response: HttpResponse): Verdict => {
  if (response.status !== 200) return responseText(response)
  // A client of this library also reads an exponent.
  const isDecimal = isRight(decodePriceText(response.text)) && !/e/i.test(response.text)
  return brokenIf(isDecimal ? undefined : quoted(response.text))
}

const rejectionVerdict = (response: HttpResponse): Verdict => {
  const failure = priceFailure({ status: response.status, body: response.text, retryAfterMs: undefined })
  return response.status === 500 && failure._tag === 'UnsupportedPair' ? passed : responseText(response)
}
