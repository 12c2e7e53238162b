export interface Misuse {
  readonly name: string
  readonly code: string
  /** Matches the only compiler error. */
  readonly error: RegExp
}

/** The imports and declarations of every misuse. */
const imports = `
import { createClient, decodeDepth, matchError, parseTopic, renderError, signRequest } from 'svc-streams'
import { defineTokens, formatQuantity } from 'svc-streams'
import type { ClientOptions, Client, Depth, DepthError, Price, PriceError, Stale, Disconnected } from 'svc-streams'
import { candles, combineFresh, filterRight, freshWithin, lefts, mapRight, rights, tapLeft } from 'svc-streams/operators'
import { createTestClient, price as aPrice, depth as aDepth } from 'svc-streams/testing'
import { startSimulator } from 'svc-streams/simulator'
import { filter, merge, type Observable } from 'rxjs'
declare const client: Client
declare const price: Price
declare const depth: Depth
declare const priceError: PriceError
declare const outage: Stale | Disconnected
const priceBaseUrl = 'https://prices.example:3000'
const baseUrl = 'https://relayer.example:3000'
`

/** A program with these imports that has exactly one compiler error. */
export const misuse = (name: string, code: string, error: RegExp): Misuse => ({
  name,
  code: `${imports}\n${code}\n`,
  error,
})
