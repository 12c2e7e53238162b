import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, firstValueFrom, timeout } from 'rxjs'
import { isAddress } from '../../base/domain/topic.js'
import { endpointOf } from '../../base/domain/endpoint.js'
import { isDecimals } from '../../base/domain/valid-numbers.js'
import { messageOf, printable } from '../../base/errors/text.js'
import type { dialedFetch } from '../../backtest/history/dialed-fetch.js'
import { symbolProblem } from './select-tokens.js'
import type { NamedToken } from './token-names.js'

/** Limit of the whole request, in ms. */
const limit = 3_000

/** In bytes. */
const maxBodyBytes = 2 ** 20

/** The tokens that a gateway serves at `GET /tokens`. Left: why they are unknown. Invalid tokens are ignored. */
export const readServedTokens = async (
  gateway: string,
  fetch: typeof dialedFetch,
): Promise<Either<string, readonly NamedToken[]>> => {
  const controller = new AbortController()
  try {
    const request$ = defer(() => request(gateway, fetch, controller.signal))
    return right(await firstValueFrom(request$.pipe(timeout(limit))))
  } catch (thrown) {
    // `fetch` puts the error of the connection into the `cause` of its own error.
    const { cause = thrown } = Object(thrown) as { readonly cause?: unknown }
    return left(printable(messageOf(cause)))
  } finally {
    controller.abort()
  }
}

const request = async (
  gateway: string,
  fetch: typeof dialedFetch,
  signal: AbortSignal,
): Promise<readonly NamedToken[]> => {
  const { origin, prefix, query } = endpointOf(new URL(gateway))
  const url = `${origin}${prefix}/tokens${query}`
  const { status, body } = await fetch(url, { redirect: 'error', signal })
  if (status !== 200 || body === null) throw new Error(`status ${status}`)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > maxBodyBytes) throw new Error(`more than ${maxBodyBytes} bytes`)
    pieces.push(piece)
  }
  const tokens = JSON.parse(Buffer.concat(pieces).toString()) as unknown
  return Object.entries(Object(tokens) as object).flatMap(tokenOf)
}

const tokenOf = ([symbol, definition]: readonly [string, unknown]): readonly NamedToken[] => {
  const { address, decimals } = Object(definition) as Partial<Record<'address' | 'decimals', unknown>>
  if (!isAddress(address) || symbolProblem(symbol) !== undefined) return []
  return [{ address, symbol, ...(isDecimals(decimals) ? { decimals } : {}) }]
}
