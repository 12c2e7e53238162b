import { plainDecimal } from '../market/decimal.js'
import { invalidTuple, unsupportedPrice } from './error-text.js'
import { plainText, type HttpAnswer } from './http-answer.js'
import type { Service } from './service.js'
import { baseOfTopic } from './topic.js'

/** GET /price/{topic} (section 4.2 of the service's documentation). */
export const answerPrice = ({ name, board, faults }: Service, topic: string): HttpAnswer => {
  const base = baseOfTopic(topic, name)
  if (base === undefined) return plainText(500, invalidTuple)
  const listing = board.find(base)
  if (listing !== undefined) return plainText(200, plainDecimal(listing.quote.price))
  return plainText(500, faults.current.namelessErrors === true ? invalidTuple : unsupportedPrice(name, base))
}
