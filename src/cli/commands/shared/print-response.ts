import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DepthError, PriceRequestError } from '../../../base/errors/model.js'
import type { Io } from '../../io.js'
import { errorLine, hint } from '../../render/error-text.js'
import type { DeploymentFlagName } from '../../target/source-flags.js'
import { one } from './parts.js'

/** The argument of a command that requests a value of one token. */
export const tokenArgument = one('<token>', 'symbol, contract address, 0x…, or topic, svc-0x…')

/** Throws an `Error` with a hint if the request fails. `addressFlag`: the flag that gives the address of the request. */
export const printResponse = async <A>(
  io: Io,
  request: TaskEither<PriceRequestError | DepthError, A>,
  addressFlag: DeploymentFlagName,
  render: (response: A) => string,
): Promise<void> => {
  const response = await request()
  if (isLeft(response)) {
    throw new Error(`${errorLine(response.left)}\n${hint(response.left, addressFlag)}`)
  }
  io.stdout.write(`${render(response.right)}\n`)
}
