import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../domain/assert-never.js'
import type { DepthError, Tagged } from '../../errors/model.js'
import type { Clock } from '../../time/clock.js'
import type { GatewayDepthFailure, GatewayDepthSnapshot } from '../gateway.js'

/** The client has no depth methods. */
export type NoDepth = Tagged<'NoDepth'>

/** Whether the service answers the depth requests of a gateway, by the last one. */
export class DepthAnswers {
  private last: GatewayDepthSnapshot | undefined

  constructor(private readonly clock: Clock) {}

  /** `undefined` before the first result. */
  get snapshot(): GatewayDepthSnapshot | undefined {
    return this.last
  }

  add(result: Either<DepthError | NoDepth, unknown>): void {
    const error = isRight(result) ? 'none' : failureOf(result.left)
    if (error === 'unknown') return
    const since = this.last?.failure?.since ?? this.clock.wallClock()
    this.last = { failure: error === 'none' ? undefined : { error, since } }
  }
}

/** `none`: the service has answered. `unknown`: the result does not depend on the service. */
const failureOf = (error: DepthError | NoDepth): GatewayDepthFailure['error'] | 'none' | 'unknown' => {
  switch (error._tag) {
    case 'Unauthorized':
    case 'NetworkError':
    case 'Timeout':
      return error._tag
    // A lower status may concern the token alone.
    case 'HttpError':
      return error.status > 500 ? 'HttpError' : 'none'
    case 'UnsupportedPair':
    case 'DecodeError':
      return 'none'
    case 'InvalidMint':
    case 'InvalidInterval':
    case 'ClientClosed':
    case 'NoDepth':
      return 'unknown'
    default:
      return assertNever(error)
  }
}
