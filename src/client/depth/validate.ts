import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { map, type Observable } from 'rxjs'
import { parseAddress, parseInterval } from '../../wire/codec/arguments.js'
import type { Address } from '../../base/domain/address.js'
import type { Depth } from '../../base/domain/depth.js'
import type { DepthError, InvalidInterval, InvalidMint } from '../../base/errors/model.js'
import { completedTask, fromTask$ } from '../../base/task/cancellable-task.js'

/**
 * The contract of every `depth$`: an invalid mint or interval is a `Left` followed by completion, and each depth has
 * the mint in the caller's spelling. `redact`: removes secrets from the error of an argument.
 */
export const validatedDepth$ = (
  mint: Address,
  interval: number,
  depthOf$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>,
  redact = (error: InvalidMint | InvalidInterval): DepthError => error,
): Observable<Either<DepthError, Depth>> => {
  const parsedMint = parseAddress(mint)
  if (isLeft(parsedMint)) return invalid$(redact(parsedMint.left))
  const parsedInterval = parseInterval(interval)
  if (isLeft(parsedInterval)) return invalid$(redact(parsedInterval.left))
  return depthOf$(mint, interval).pipe(
    map((event) => (isLeft(event) || event.right.mint === mint ? event : right({ ...event.right, mint }))),
  )
}

/** Not `of`, which with what it imports is more than 1 % of a page that shows a price. */
const invalid$ = (error: DepthError): Observable<Either<DepthError, never>> =>
  fromTask$(completedTask(left(error)))
