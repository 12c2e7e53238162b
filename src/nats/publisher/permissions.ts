import type { Clock } from '../../base/time/clock.js'

/** Why a gateway cannot serve on NATS. */
export interface NatsGatewayFailure {
  /** The text of the server, such as a missing permission for a subject. */
  readonly message: string
  /** When the failure began, in ms since the Unix epoch. */
  readonly since: number
}

/** The interval at which a gateway tries what the server may refuse, in ms. */
export const tryInterval = 5_000

/** A permission is no longer missing after this time without a refusal, in ms. */
const quietTime = 2.5 * tryInterval

/** Whether the server permits what a gateway sends and receives. The server reports a missing permission only afterwards. */
export class Permissions {
  private current: NatsGatewayFailure | undefined
  private refusedAt = 0

  /** `onChange`: called with the first refusal, and with `undefined` when there are no more. */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: (failure: NatsGatewayFailure | undefined) => void,
  ) {}

  get failure(): NatsGatewayFailure | undefined {
    return this.current
  }

  onRefused(message: string): void {
    this.refusedAt = this.clock.elapsed()
    if (this.current === undefined) this.set({ message, since: this.clock.wallClock() })
  }

  check(): void {
    if (this.current !== undefined && this.clock.elapsed() - this.refusedAt > quietTime) this.set(undefined)
  }

  private set(failure: NatsGatewayFailure | undefined): void {
    this.current = failure
    this.onChange(failure)
  }
}
