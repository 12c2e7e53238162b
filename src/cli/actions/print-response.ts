import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DepthError, PriceRequestError } from '../../errors/model.js'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import type { DeploymentFlagName } from '../input/deployment-flags.js'
import { hint } from '../input/hint.js'
import { print } from '../output/stdout.js'

export interface Request<A> {
  readonly task: TaskEither<PriceRequestError | DepthError, A>
  /** The flag that gives the address of the request, for hints. */
  readonly addressFlag: DeploymentFlagName
  /** The text to print, without the final newline. */
  readonly render: (response: A) => string
}

/** Sends one request and prints its response. A failure throws an `Error` with the failure and a hint. */
export const printResponse = async <A>({ task, addressFlag, render }: Request<A>): Promise<void> => {
  const response = await task()
  if (isLeft(response)) {
    throw new Error(`${printable(renderError(response.left))}\n${hint(response.left, addressFlag)}`)
  }
  await print(`${render(response.right)}\n`)
}
