import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, defer, finalize, firstValueFrom, from, of, timeout } from 'rxjs'
import { isAddress } from '../../base/domain/address.js'
import { endpointOf, requestPath } from '../../base/domain/endpoint.js'
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
export const readServedTokens = (
  gateway: string,
  fetch: typeof dialedFetch,
): Promise<Either<string, readonly NamedToken[]>> =>
  firstValueFrom(
    defer(() => {
      const controller = new AbortController()
      return from(request(gateway, fetch, controller.signal)).pipe(finalize(() => controller.abort()))
    }).pipe(
      timeout(limit),
      catchError((error: unknown) => of(left(reasonOf(error)))),
    ),
  )

const request = async (
  gateway: string,
  fetch: typeof dialedFetch,
  signal: AbortSignal,
): Promise<Either<string, readonly NamedToken[]>> => {
  const endpoint = endpointOf(new URL(gateway))
  const url = endpoint.origin + requestPath(endpoint, '/tokens')
  const { status, body } = await fetch(url, { redirect: 'error', signal })
  if (status !== 200 || body === null) return left(`status ${status}`)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > maxBodyBytes) return left(`more than ${maxBodyBytes} bytes`)
    pieces.push(piece)
  }
  const tokens = JSON.parse(Buffer.concat(pieces).toString()) as unknown
  return right(Object.entries(Object(tokens) as object).flatMap(tokenOf))
}

const tokenOf = ([symbol, definition]: readonly [string, unknown]): readonly NamedToken[] => {
  const { address, decimals } = Object(definition) as Partial<Record<'address' | 'decimals', unknown>>
  if (!isAddress(address) || symbolProblem(symbol) !== undefined) return []
  return [{ address, symbol, ...(isDecimals(decimals) ? { decimals } : {}) }]
}

/** Node's `fetch` puts the error of the connection into the `cause` of its own error. */
const reasonOf = (error: unknown): string => {
  const { cause = error } = Object(error) as { readonly cause?: unknown }
  return printable(messageOf(cause))
}
