import type { Address } from '../../base/domain/topic.js'
import { plainObject } from '../../base/option-kinds/option.js'
import { quoteTokenAddress } from '../market/token-options.js'
import { lowerCase } from '../market/market.js'

// The service's error texts (section 7 of the service's documentation).

export const unauthorizedText = 'Unauthorized'

/** A malformed topic, or an internal error of the price reporter. */
export const invalidTupleText = 'Invalid (exchange, base, quote) tuple'

/** A topic whose token the price reporter does not support. */
export const unsupportedTopicText = (service: string, base: string): string =>
  `${invalidTupleText}: ${service} does not support the pair (${base}, ${quoteTokenAddress})`

/** A mint that the relayer does not support. */
export const unsupportedMintText = (base: string): string =>
  `UnsupportedPair(Token { addr: ${JSON.stringify(base)} }, Token { addr: "${quoteTokenAddress}" })`

/** A WebSocket message that is not a valid request. */
export const invalidRequestText = (problem: string): string => `Invalid request: ${problem}`

/** Address of a topic's base token, lower-case; `undefined` if the text is not a topic of this service. */
export const baseOfTopic = (topic: string, service: string): Address | undefined => {
  if (!topic.startsWith(`${service}-`)) return undefined
  const base = topic.slice(service.length + 1)
  return /^0x[0-9a-f]+$/i.test(base) ? lowerCase(base as Address) : undefined
}

/** Topic with the address of the quote token appended, as the service may echo it (fault `echoQuote`). */
export const topicWithQuote = (base: Address, service: string): string =>
  `${service}-${base}-${quoteTokenAddress}`

const methods = ['subscribe', 'unsubscribe'] as const

/** A request over the WebSocket (section 4.3 of the service's documentation). */
export interface ClientMessage {
  readonly method: (typeof methods)[number]
  readonly topic: string
}

/** Parses a text frame. Returns the error text to send back if the frame is not a valid request. */
export const parseClientMessage = (text: string): ClientMessage | string => {
  const value = jsonOrUndefined(text)
  if (!plainObject.holds(value)) return invalidRequestText('expected a JSON object')
  const { method: given, topic } = value as Readonly<Record<string, unknown>>
  const method = methods.find((each) => each === given)
  if (method === undefined) return invalidRequestText(`expected method to be ${methods.join(' or ')}`)
  return typeof topic === 'string' ? { method, topic } : invalidRequestText('expected topic to be a string')
}

const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
