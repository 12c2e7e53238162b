import type { Address } from '../../domain/address.js'
import { plainDecimal, toTokens } from '../market/decimal.js'
import type { Listing } from '../market/listings.js'
import { unauthorizedText, unsupportedMintText } from './error-texts.js'
import type { ServiceContext } from './service-context.js'
import { jsonResponse, textResponse, type TextResponse } from '../../server/text-response.js'
import { isValidSignature, type SignedRequest } from './verify-signature.js'

/** Handles GET /v0/order_book/depth/{mint} (section 4.1 of the service's documentation). */
export const handleDepth = (context: ServiceContext, mint: string, request: SignedRequest): TextResponse => {
  const { name, key, listings, faults } = context
  const now = context.now()
  if (!isValidSignature(request, { key, service: name, now })) return textResponse(401, unauthorizedText)
  const base = mint.toLowerCase()
  const listing = listings.find(base as Address)
  if (listing === undefined) return textResponse(500, unsupportedMintText(base))
  return jsonResponse(200, depthBody(listing, now, faults.current.quantitiesAsText === true))
}

/** JSON text of a depth. Quantities are integers of any size, which `JSON.stringify` cannot write. */
const depthBody = ({ token, quote }: Listing, timestamp: number, quantitiesAsText: boolean): string => {
  const sideOf = (units: bigint) => {
    const quantity = quantitiesAsText ? `"${units}"` : String(units)
    const usd = toTokens(units, token.decimals) * quote.price
    return `{"total_quantity":${quantity},"total_quantity_usd":${plainDecimal(usd)}}`
  }
  const [buy, sell] = [sideOf(quote.buy), sideOf(quote.sell)]
  return `{"price":${plainDecimal(quote.price)},"timestamp":${timestamp},"buy":${buy},"sell":${sell}}`
}
