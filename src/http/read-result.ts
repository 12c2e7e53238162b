import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { AnyError } from '../errors/model.js'
import type { HttpResponse } from '../transport/ports.js'
import type { GetConfig, GetError, GetResult } from './get.js'

/** Decodes a response. `receivedAt` is in ms since the Unix epoch. */
export type ReadResponse<E, A> = (response: HttpResponse, receivedAt: number) => Either<E, A>

/** The value of a response, or an error without secrets. */
export const readResult = <E extends AnyError, A>(
  { clock, secrets }: Pick<GetConfig, 'clock' | 'secrets'>,
  result: GetResult,
  read: ReadResponse<E, A>,
): Either<GetError | E, A> => {
  const value: Either<GetError | E, A> = isLeft(result) ? result : read(result.right, clock.wallClock())
  return secrets.redactLeft(value)
}
