import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { parseAddress } from '../../codec/arguments.js'
import { encodeDepth } from '../../codec/depth.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import type { Depth } from '../../domain/depth.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { networkError } from '../../errors/constructors.js'
import { jsonResponse, textResponse, type TextResponse } from '../../server/http-response.js'
import { completedTask } from '../../task/cancellable-task.js'
import type { Clock } from '../../time/clock.js'
import { failureResponse, noDepth, tooManyRequests, type RelayError } from './failure-response.js'
import type { Relay } from './relay.js'
import type { RequestQueue } from './request-queue.js'
import { RequestSharer } from './request-sharer.js'
import { unsupportedMintText } from './service-texts.js'
import { taskOf } from './task-of.js'

export interface DepthRelayConfig {
  readonly clock: Clock
  readonly queue: RequestQueue
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest: (shared: boolean) => void
  /** Minimum time between the starts of two requests for one mint, in ms. */
  readonly depthEvery: number
}

/** Depth requests: one at a time for each mint, and one response for all consumers that wait for it. */
export const createDepthRelay = (
  client: PriceClient | Client,
  { clock, queue, depthEvery, onRequest }: DepthRelayConfig,
): Relay => {
  const sharer = new RequestSharer<Address, TextResponse>({
    clock,
    queue,
    refusal: tooManyRequests,
    onRequest,
    minInterval: depthEvery,
    requestOf: (mint) => taskOf(async () => depthResponse(mint, await requestDepth(client, mint))),
  })
  return {
    respond: (mint, requester) => {
      const address = parseAddress(mint)
      return isLeft(address)
        ? completedTask(failureResponse(address.left))
        : sharer.request(canonicalAddress(address.right), requester)
    },
    close: () => sharer.close(),
  }
}

/** An exception of a custom client is handled like a failure of the network. */
const requestDepth = async (
  client: PriceClient | Client,
  mint: Address,
): Promise<Either<RelayError, Depth>> => {
  if (!('depth' in client)) return left(noDepth)
  try {
    return await client.depth(mint)()
  } catch (thrown) {
    return left(thrown instanceof ConfigurationError ? noDepth : networkError(thrown))
  }
}

const depthResponse = (mint: string, result: Either<RelayError, Depth>): TextResponse => {
  if (isLeft(result)) {
    const error = result.left
    return error._tag === 'UnsupportedPair'
      ? textResponse(500, unsupportedMintText(error, mint))
      : failureResponse(error)
  }
  try {
    return jsonResponse(200, encodeDepth(result.right))
  } catch {
    // A test client may have a depth that the service could not send, such as NaN as a price.
    return textResponse(502, 'Bad Gateway: the depth of this client has no valid text')
  }
}
