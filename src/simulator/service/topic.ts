import type { Address } from '../../domain/address.js'
import { quoteTokenAddress } from '../market/known-tokens.js'
import { lowerCase } from '../market/token-options.js'

/** Address of a topic's base token, lower-case; `undefined` if the text is not a topic of this service. */
export const baseOfTopic = (topic: string, service: string): Address | undefined => {
  if (!topic.startsWith(`${service}-`)) return undefined
  const base = topic.slice(service.length + 1)
  return /^0x[0-9a-f]+$/i.test(base) ? lowerCase(base as Address) : undefined
}

/** Topic with the address of the quote token appended, as the service may echo it (fault `echoQuote`). */
export const topicWithQuote = (base: Address, service: string): string =>
  `${service}-${base}-${quoteTokenAddress}`
