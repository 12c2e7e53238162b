import type { Address } from '../../domain/address.js'
import { plainDecimal, toTokens } from '../market/decimal.js'
import type { Listing } from '../market/quotes.js'
import { unauthorized, unsupportedDepth } from './error-text.js'
import { json, plainText, type HttpAnswer } from './http-answer.js'
import type { Service } from './service.js'
import { isAuthentic, type SignedRequest } from './verify.js'

/** GET /v0/order_book/depth/{mint} (section 4.1 of the service's documentation). */
export const answerDepth = (service: Service, mint: string, request: SignedRequest): HttpAnswer => {
  const { name, key, board, faults } = service
  const now = service.now()
  if (!isAuthentic(request, { key, service: name, now })) return plainText(401, unauthorized)
  const base = mint.toLowerCase()
  const listing = board.find(base as Address)
  if (listing === undefined) return plainText(500, unsupportedDepth(base))
  return json(depthBody(listing, now, faults.current.quantitiesAsText === true))
}

/** Built by hand: a quantity is an integer of any size, which `JSON.stringify` cannot write. */
const depthBody = ({ token, quote }: Listing, timestamp: number, asText: boolean): string => {
  const side = (units: bigint) => {
    const quantity = asText ? `"${units}"` : String(units)
    const usd = toTokens(units, token.decimals) * quote.price
    return `{"total_quantity":${quantity},"total_quantity_usd":${plainDecimal(usd)}}`
  }
  const [buy, sell] = [side(quote.buy), side(quote.sell)]
  return `{"price":${plainDecimal(quote.price)},"timestamp":${timestamp},"buy":${buy},"sell":${sell}}`
}
