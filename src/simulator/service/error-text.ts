import { quoteAddress } from '../market/known-tokens.js'

// The service's error texts (section 7 of its documentation).

export const unauthorized = 'Unauthorized'

/** A topic that is none, or a failure within the price reporter. */
export const invalidTuple = 'Invalid (exchange, base, quote) tuple'

/** A topic whose token the price reporter does not support. */
export const unsupportedPrice = (service: string, base: string): string =>
  `${invalidTuple}: ${service} does not support the pair (${base}, ${quoteAddress})`

/** A mint that the relayer does not support. */
export const unsupportedDepth = (base: string): string =>
  `UnsupportedPair(Token { addr: ${JSON.stringify(base)} }, Token { addr: "${quoteAddress}" })`

/** A client's message that is not understood. */
export const invalidRequest = (problem: string): string => `Invalid request: ${problem}`
