import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Secrets } from '../auth/secrets.js'
import type { Signer } from '../auth/sign-request.js'
import { parseHttpDate } from '../codec/http-headers.js'
import { requestPath, type Endpoint } from '../../base/domain/endpoint.js'
import type { AnyError } from '../../base/errors/model.js'
import { noCancel, type Cancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import { headerOf } from '../transport/ports.js'
import {
  get,
  readResult,
  type GetConfig,
  type GetError,
  type GetResult,
  type GetTarget,
  type ReadResponse,
} from './get.js'

export interface SignedGetConfig extends GetConfig {
  readonly relayer: Endpoint
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined`: requests are not signed. */
  readonly sign: Signer | undefined
  /** The validity of a signature, in ms. */
  readonly authExpiration: number
}

/**
 * GET requests to the relayer, signed unless the configuration has no key (section 5 of the service's documentation).
 * Stores the offset of the service's clock. Redacts the secrets from every error.
 */
export class SignedGet {
  /** The service's clock minus the local clock, in ms. */
  private clockOffset = 0

  constructor(private readonly config: SignedGetConfig) {}

  get secrets(): Secrets {
    return this.config.secrets
  }

  /**
   * Requests a resource, for example `/v0/markets`. `route`: the resource without its argument. Each run of the task signs
   * again. After a 401 that a wrong clock may have caused, the request is sent once more with the service's clock.
   * `onTurn`: called when the request is about to be sent for the first time. It may cancel the task.
   */
  request<E extends AnyError, A>(
    resource: string,
    route: string,
    read: ReadResponse<E, A>,
    onTurn?: () => void,
  ): CancellableTask<Either<GetError | E, A>> {
    const target = { path: requestPath(this.config.relayer, resource), route }
    return (onResult) => {
      let usedOffset = this.clockOffset
      // Read when the request is sent: while it is queued, another request may correct the clock.
      const currentOffset = () => (usedOffset = this.clockOffset)
      let cancelRetry = noCancel
      const onFirst = (result: GetResult): void => {
        const offset = this.correctedOffset(result, usedOffset)
        if (offset === undefined) return onResult(readResult(this.config, result, read))
        const correctedOffset = () => offset
        cancelRetry = this.attempt(target, correctedOffset, (second) => {
          // After another 401 the offset is not stored: the `Date` header may be wrong.
          if (isRight(second) && second.right.status !== 401) this.clockOffset = offset
          onResult(readResult(this.config, second, read))
        })
      }
      const cancelFirst = this.attempt(target, currentOffset, onFirst, onTurn)
      return () => {
        cancelFirst()
        cancelRetry()
      }
    }
  }

  private attempt(
    { path, route }: Pick<GetTarget, 'path' | 'route'>,
    clockOffset: () => number,
    onResult: (result: GetResult) => void,
    onTurn?: () => void,
  ): Cancel {
    const { clock, relayer, headers, sign, authExpiration } = this.config
    /** Runs the caller's `canonicalHeaders`. `get` returns an exception in it as a `NetworkError`. */
    const allHeaders = () => ({
      ...headers,
      ...sign?.(path, Math.round(clock.wallClock() + clockOffset() + authExpiration)),
    })
    return get(this.config, { origin: relayer.origin, path, route, headers: allHeaders, onTurn })(onResult)
  }

  /**
   * The clock offset to retry with, if the result is a 401 that a wrong clock may have caused. Without a valid `Date`
   * header the offset is NaN, and no comparison with NaN is true. A request without a signature has no expiration.
   */
  private correctedOffset(result: GetResult, clockOffset: number): number | undefined {
    if (this.config.sign === undefined || isLeft(result) || result.right.status !== 401) return undefined
    const offset = parseHttpDate(headerOf(result.right, 'date')) - this.config.clock.wallClock()
    return Math.abs(offset - clockOffset) > this.config.authExpiration / 2 ? offset : undefined
  }
}
