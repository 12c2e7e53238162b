import { quoteTokenAddress } from '../market/known-tokens.js'

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
