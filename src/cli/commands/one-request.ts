import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DepthError, PriceRequestError } from '../../errors/model.js'
import { renderError } from '../../errors/render.js'
import type { DeploymentFlagName } from '../input/deployment-flags.js'
import { hint } from '../input/hint.js'
import { print } from '../output/print.js'
import { printable } from '../output/printable.js'

export interface Question<A> {
  readonly task: TaskEither<PriceRequestError | DepthError, A>
  /** By which flag the address was given that is asked. */
  readonly asked: DeploymentFlagName
  /** The answer as text, without the last line's end. */
  readonly render: (answer: A) => string
}

/** Asks once, and prints the answer. A failure is told by what went wrong and what to do about it. */
export const askOnce = async <A>({ task, asked, render }: Question<A>): Promise<void> => {
  const answer = await task()
  if (isLeft(answer)) throw new Error(`${printable(renderError(answer.left))}\n${hint(answer.left, asked)}`)
  await print(`${render(answer.right)}\n`)
}
