import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { parseAddress } from '../codec/arguments.js'
import { decodeDepth } from '../codec/depth.js'
import { depthFailure } from '../codec/response-text.js'
import type { Address } from '../../base/domain/address.js'
import type { Depth } from '../../base/domain/depth.js'
import type { DepthError } from '../../base/errors/model.js'
import { completedTask, type CancellableTask } from '../../base/task/cancellable-task.js'
import type { HttpResponse } from '../transport/ports.js'
import { failedResponse } from './get.js'
import type { SignedGet } from './signed-get.js'

export type DepthEvent = Either<DepthError, Depth>

/** The path of a depth without its mint. */
export const depthRoute = '/v0/order_book/depth/{mint}'

/** The depth of one mint (section 4.1 of the service's documentation). */
export const depthRequest = (signedGet: SignedGet, mint: Address): CancellableTask<DepthEvent> => {
  // The caller may have confused the mint with a secret.
  const parsed = signedGet.secrets.redactLeft(parseAddress(mint))
  return isLeft(parsed) ? completedTask(parsed) : validDepthRequest(signedGet, mint)
}

/** The depth of a valid mint. `onTurn`: called when the request is about to be sent for the first time. It may cancel the task. */
export const validDepthRequest = (
  signedGet: Pick<SignedGet, 'request'>,
  mint: Address,
  onTurn?: () => void,
): CancellableTask<DepthEvent> => {
  const read = (response: HttpResponse, receivedAt: number) => readDepth(mint, response, receivedAt)
  return signedGet.request(`/v0/order_book/depth/${mint}`, depthRoute, read, onTurn)
}

const readDepth = (mint: Address, response: HttpResponse, receivedAt: number): DepthEvent => {
  if (response.status !== 200) return left(depthFailure(failedResponse(response, receivedAt)))
  const depth = decodeDepth(response.body)
  return isLeft(depth) ? depth : right({ mint, ...depth.right, receivedAt })
}
