import {
  connect,
  PermissionViolationError,
  setTransportFactory,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import {
  firstValueFrom,
  Observable,
  race,
  repeat,
  ReplaySubject,
  share,
  Subject,
  takeUntil,
  type Subscriber,
} from 'rxjs'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { Clock } from '../../base/time/clock.js'
import { delay$ } from '../../base/time/timers.js'
import type { ParsedConnection } from '../options.js'
import { TcpTransport, type Dials, type OpenTcpSocket } from './tcp-transport.js'

/** The minimum time between two dials of one server, in ms. */
export const retryTime = 250

/** The time for which a connection without users stays open, in ms. */
const idleTime = 4_000

/** The time in which a closing connection may send its last messages, in ms. */
const flushTimeout = 500

/** A process has one factory of transports, which each `connect` and `wsconnect` of the program sets. */
const transports = { factory: () => new TcpTransport() }

/** A subject without a permission. `message`: the text of the server, without secrets. */
interface Refusal {
  readonly subject: string
  readonly message: string
}

export class NatsLink {
  /**
   * The connection, and `undefined` when it is lost. It opens for the first subscriber, and closes after the last one. The NATS
   * client connects again after a loss. For subscribers this is a new connection: they end what they have subscribed to.
   */
  readonly connection$: Observable<NatsConnection | undefined>
  /** The last failure of the connection, without secrets, as the end of a sentence; empty if there is none. */
  problemText = ''
  private readonly refusals$ = new Subject<Refusal>()
  /** Messages and subscriptions that the server refuses. */
  readonly refusal$ = this.refusals$.asObservable()
  private readonly closed$ = new ReplaySubject<void>(1)
  private ending = Promise.resolve()

  constructor(
    readonly parsed: ParsedConnection,
    private readonly clock: Clock,
    private readonly openSocket?: OpenTcpSocket,
  ) {
    this.connection$ = new Observable<NatsConnection | undefined>((subscriber) => {
      void this.follow(subscriber)
    }).pipe(
      // There are no more dials: an authenticator has thrown.
      repeat({ delay: () => delay$(clock, retryTime) }),
      takeUntil(this.closed$),
      share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => delay$(clock, idleTime) }),
    )
  }

  /** Sends the buffered data and closes the connection. Idempotent. */
  async close(): Promise<void> {
    this.closed$.next()
    await this.ending
  }

  private async follow(subscriber: Subscriber<NatsConnection | undefined>): Promise<void> {
    const dials: Dials = { openSocket: this.openSocket, onError: (error) => this.onError(error) }
    let current: NatsConnection | undefined
    subscriber.add(() => {
      if (current === undefined) dials.transport?.discard()
      else this.ending = this.end(current)
    })
    const onChange = (connection: NatsConnection | undefined): void => {
      if (connection !== undefined) this.problemText = ''
      current = connection
      subscriber.next(connection)
    }
    try {
      const connection = await this.connect(dials, subscriber)
      const changes = connection.status()
      if (subscriber.closed) await connection.close()
      else onChange(connection)
      for await (const status of changes) {
        if (status.type === 'disconnect') onChange(undefined)
        else if (status.type === 'reconnect') onChange(connection)
        else if (status.type === 'error') this.onStatusError(status.error)
      }
    } catch (error) {
      if (!subscriber.closed) this.onError(error)
    }
    onChange(undefined)
    subscriber.complete()
  }

  private connect(dials: Dials, subscriber: Subscriber<unknown>): Promise<NatsConnection> {
    const { clock, parsed } = this
    let dialledAt = -Infinity
    const reconnectDelayHandler = (): number => {
      if (subscriber.closed) throw new Error('the connection is closed')
      setTransportFactory(transports)
      const waitMs = dialledAt + retryTime - clock.elapsed()
      if (waitMs > 0) return waitMs
      if (dials.transport !== undefined) dialledAt = clock.elapsed()
      // The NATS client compares times of day, which may be set back.
      return -Infinity
    }
    return connect({ ...parsed.options, dials, reconnectDelayHandler } as NodeConnectionOptions)
  }

  private async end(connection: NatsConnection): Promise<void> {
    await firstValueFrom(race(connection.flush(), delay$(this.clock, flushTimeout))).catch(() => undefined)
    await connection.close().catch(() => undefined)
  }

  private onStatusError(error: Error): void {
    const message = this.onError(error)
    if (error instanceof PermissionViolationError) this.refusals$.next({ subject: error.subject, message })
  }

  /** Returns the text of the failure. */
  private onError(thrown: unknown): string {
    const problem = this.parsed.secrets.redact(causeOf(thrown).message)
    this.problemText = `: ${problem}`
    return problem
  }
}
