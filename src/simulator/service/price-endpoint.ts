import { plainDecimal } from '../market/decimal.js'
import { invalidTupleText, unsupportedTopicText } from './error-texts.js'
import type { ServiceContext } from './service-context.js'
import { textResponse, type TextResponse } from '../../server/text-response.js'
import { baseOfTopic } from './topic.js'

/** Handles GET /price/{topic} (section 4.2 of the service's documentation). */
export const handlePrice = ({ name, listings, faults }: ServiceContext, topic: string): TextResponse => {
  const base = baseOfTopic(topic, name)
  if (base === undefined) return textResponse(500, invalidTupleText)
  const listing = listings.find(base)
  if (listing !== undefined) return textResponse(200, plainDecimal(listing.quote.price))
  return textResponse(
    500,
    faults.current.namelessErrors === true ? invalidTupleText : unsupportedTopicText(name, base),
  )
}
