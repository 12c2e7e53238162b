import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { map, of, type Observable } from 'rxjs'
import { isAddress, type Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import { isInterval } from '../domain/interval.js'
import { invalidInterval, invalidMint } from '../errors/constructors.js'
import type { DepthError } from '../errors/model.js'

/** Depths of a mint, which is as the caller wrote it; where the mint or the interval is none, that, then completion. */
export const checkedDepth$ = (
  mint: Address,
  interval: number,
  depthOf$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>,
): Observable<Either<DepthError, Depth>> => {
  if (!isAddress(mint)) return of(left(invalidMint(mint)))
  if (!isInterval(interval)) return of(left(invalidInterval(interval)))
  return depthOf$(mint, interval).pipe(
    map((event) => (isLeft(event) ? event : right({ ...event.right, mint }))),
  )
}
