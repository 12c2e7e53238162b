import type { Address } from '../../domain/address.js'
import { quoteAddress } from '../market/known-tokens.js'
import { lowerCased } from '../market/token.js'

/** The base token of a topic, lower-cased; `undefined` where the text is no topic of this service. */
export const baseOfTopic = (topic: string, service: string): Address | undefined => {
  if (!topic.startsWith(`${service}-`)) return undefined
  const base = topic.slice(service.length + 1)
  return /^0x[0-9a-f]+$/i.test(base) ? lowerCased(base as Address) : undefined
}

/** A topic as the service may send it back: lower-cased, with the quote token's address behind. */
export const withQuote = (base: Address, service: string): string => `${service}-${base}-${quoteAddress}`
