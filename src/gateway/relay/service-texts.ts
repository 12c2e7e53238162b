import { depthFailure, priceFailure } from '../../codec/response-text.js'
import type { UnsupportedPair } from '../../errors/model.js'

// The service's error texts (section 7 of the service's documentation). A test client or a replay may have an
// `UnsupportedPair` with another text, from which a consumer's client could not restore the error.

/** A malformed topic, or an internal error of the price reporter. */
export const invalidTupleText = 'Invalid (exchange, base, quote) tuple'

/** The text of a depth response. `mint`: the requested one. */
export const unsupportedMintText = (
  { base = '', quote = '', body }: UnsupportedPair,
  mint: string,
): string =>
  depthFailure(failed(body))._tag === 'UnsupportedPair'
    ? body
    : `UnsupportedPair(Token { addr: "${quotable(base) || mint}" }, Token { addr: "${quotable(quote)}" })`

/** The text of a price response. */
export const unsupportedTopicText = ({ body }: UnsupportedPair): string =>
  priceFailure(failed(body))._tag === 'UnsupportedPair' ? body : invalidTupleText

const failed = (body: string) => ({ status: 500, body, retryAfterMs: undefined })

/** An address of the text; anything else is omitted. */
const quotable = (address: string): string => (/^\w+$/.test(address) ? address : '')
