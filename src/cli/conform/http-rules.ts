import { isRight } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { decodePriceText, priceFailure } from '../../wire/codec/response-text.js'
import { serviceOf } from '../../base/domain/topic.js'
import {
  failed,
  failedIf,
  passed,
  quoted,
  replyText,
  unknownAddress,
  type ConformTarget,
  type HttpReply,
  type Report,
  type Verdict,
} from './rules.js'

/** Checks prices over HTTP. */
export const checkHttp = async ({ topic, get$ }: ConformTarget, report: Report): Promise<void> => {
  const service = serviceOf(topic)
  const price = (name: string) => firstValueFrom(get$(`/price/${name}`))
  const current = await price(topic)
  if (current.status === 0) {
    report({ 'http-price': failed(current.text) })
    return
  }
  report({ 'http-price': priceVerdict(current) })
  report({ 'http-token-rejected': rejectionVerdict(await price(`${service}-${unknownAddress}`)) })
  report({ 'http-topic-rejected': rejectionVerdict(await price(`${service}-no-address`)) })
}

const priceVerdict = (reply: HttpReply): Verdict => {
  if (reply.status !== 200) return failed(replyText(reply))
  // A client of this library also reads an exponent.
  const isDecimal = isRight(decodePriceText(reply.text)) && !/e/i.test(reply.text)
  return failedIf(isDecimal ? undefined : quoted(reply.text))
}

const rejectionVerdict = (reply: HttpReply): Verdict => {
  const failure = priceFailure({ status: reply.status, body: reply.text, retryAfterMs: undefined })
  return reply.status === 500 && failure._tag === 'UnsupportedPair' ? passed : failed(replyText(reply))
}
