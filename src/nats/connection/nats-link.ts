import {
  PermissionViolationError,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import { Subscription } from 'rxjs'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { Cancel } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { Secrets } from '../../wire/auth/secrets.js'
import { parseServers, type NatsOptions } from '../options.js'
import { connectNats, openTcpSocket, retryTime, type Dials, type OpenTcpSocket } from './tcp-transport.js'

/** Receives the connection to NATS once, and its loss once. */
export interface LinkUser {
  readonly onConnected: (connection: NatsConnection) => void
  /** `reason`: a text without secrets. */
  readonly onLost: (reason: string) => void
  /** The server has refused a message or a subscription of the connection. `reason`: a text without secrets. */
  readonly onRefused?: (reason: string) => void
}

/** The time that one server has to accept a connection, in ms. */
export const connectTime = 1_500

/** After this number of searches without an answer of a gateway, another server is dialled. */
const maxUnanswered = 2

/** The time for which a connection without users stays open, in ms. */
const idleTime = 4_000

/** The time in which a closing connection may send its last messages, in ms. */
const flushTimeout = 500

/**
 * A connection whose server does not answer is lost after two to three times this time, in ms. This is earlier than the end of a
 * session whose gateway does not answer, because a new session would use the same connection.
 */
const pingInterval = 450

/**
 * The connection to NATS. It opens for its first user, and closes after its last one. The NATS client connects again after a
 * loss. Users see this as a new connection: what they had subscribed to ends with the old one, and they send nothing meanwhile.
 */
export class NatsLink {
  private readonly users = new Set<LinkUser>()
  private readonly options: NodeConnectionOptions
  private readonly servers: readonly string[]
  private readonly secrets = new Secrets()
  /** Further servers of the cluster, by the last connection. */
  private discovered: readonly string[] = []
  /** The number of searches over this connection without an answer. */
  private unanswered = 0
  /** From the first dial to the end of the connection. */
  private dials: Dials | undefined
  /** `undefined` during a dial. */
  private connection: NatsConnection | undefined
  private isClosed = false
  private timer = new Subscription()
  /** Host and port of the first server: the name of the connection in diagnostics. */
  readonly host: string
  /** The beginning of the subjects on which this user receives replies. `undefined`: the default of NATS. */
  readonly inboxPrefix: string | undefined
  /** The last failure of the connection, as a text without secrets; empty if there is none. */
  private problem = ''

  constructor(
    { servers, ...options }: NatsOptions,
    private readonly clock: Clock,
    private readonly openSocket: OpenTcpSocket = openTcpSocket,
  ) {
    const { addresses, host, isTls, ...credentials } = parseServers(servers)
    this.servers = addresses
    this.host = host
    this.inboxPrefix = options.inboxPrefix ?? inboxPrefixOf(options.user ?? credentials.user)
    for (const secret of [options.pass, options.token, credentials.pass]) {
      if (secret !== undefined) this.secrets.addValue(secret)
    }
    this.options = {
      ...credentials,
      ...(isTls ? { tls: {} } : {}),
      // Each would take the stack trace of a request.
      noAsyncTraces: true,
      ...options,
      ...(this.inboxPrefix === undefined ? {} : { inboxPrefix: this.inboxPrefix }),
      ...{ pingInterval, maxPingOut: 2, timeout: connectTime },
    } as NodeConnectionOptions
  }

  /** Connects if necessary. Calls back at once if the connection is open. */
  use(user: LinkUser): Cancel {
    this.users.add(user)
    this.timer.unsubscribe()
    if (this.connection === undefined) this.connect()
    else user.onConnected(this.connection)
    return () => {
      if (this.users.delete(user)) this.endIfUnused()
    }
  }

  /** A gateway answers over the connection. */
  onAnswered(): void {
    this.unanswered = 0
  }

  /**
   * No gateway has answered a search. The server may have no connection to the other servers of the cluster, where a
   * gateway may answer.
   */
  onUnanswered(connection: NatsConnection): void {
    if (this.connection !== connection || ++this.unanswered < maxUnanswered) return
    if (this.servers.length + (connection.info?.connect_urls?.length ?? 0) < 2) return
    this.onLost()
    void connection.reconnect()
  }

  /** Sends the buffered data and closes the connection. Idempotent. */
  async close(): Promise<void> {
    this.isClosed = true
    this.users.clear()
    this.timer.unsubscribe()
    await this.end()
  }

  /** The last failure, as the end of a sentence. */
  get problemText(): string {
    return this.problem === '' ? '' : `: ${this.problem}`
  }

  private connect(): void {
    if (this.dials !== undefined || this.isClosed) return
    const servers = [...new Set([...this.servers, ...this.discovered])]
    const dials: Dials = {
      openSocket: this.openSocket,
      clock: this.clock,
      onError: (error) => this.onError(error),
      endedAt: new Map(),
      hasOthers: servers.length > 1,
      isEnded: false,
    }
    this.dials = dials
    connectNats({ ...this.options, servers }, dials).then(
      (connection) => this.watch(connection, dials),
      (error: unknown) => {
        this.onError(error)
        this.onEnded(dials)
      },
    )
  }

  private async watch(connection: NatsConnection, dials: Dials): Promise<void> {
    if (this.dials !== dials) return connection.close()
    const changes = connection.status()
    this.onConnected(connection)
    for await (const status of changes) {
      if (this.dials !== dials) return
      if (status.type === 'disconnect') this.onLost()
      else if (status.type === 'reconnect') this.onConnected(connection)
      else if (status.type === 'update') dials.hasOthers ||= (status.added?.length ?? 0) > 0
      else if (status.type === 'error') this.onStatusError(status.error)
    }
    this.onEnded(dials)
  }

  private onConnected(connection: NatsConnection): void {
    if (this.connection !== undefined) return
    this.problem = ''
    this.unanswered = 0
    this.connection = connection
    for (const user of [...this.users]) user.onConnected(connection)
    this.endIfUnused()
  }

  private onLost(): void {
    if (this.connection === undefined) return
    this.connection = undefined
    const users = [...this.users]
    this.users.clear()
    for (const user of users) user.onLost(`the connection to NATS is lost${this.problemText}`)
    this.endIfUnused()
  }

  /** There are no more dials: an authenticator has thrown. */
  private onEnded(dials: Dials): void {
    if (this.dials !== dials) return
    this.dials = undefined
    this.onLost()
    this.timer.unsubscribe()
    if (this.users.size > 0) this.timer = delay(this.clock, retryTime, () => this.connect())
  }

  private endIfUnused(): void {
    if (this.users.size > 0 || this.isClosed) return
    this.timer.unsubscribe()
    this.timer = delay(this.clock, idleTime, () => void this.end())
  }

  private async end(): Promise<void> {
    const { dials, connection, options } = this
    this.dials = this.connection = undefined
    if (dials !== undefined) dials.isEnded = true
    if (connection === undefined) return dials?.transport?.discard()
    if (options.ignoreClusterUpdates !== true) this.discovered = connection.info?.connect_urls ?? []
    const timer = new Subscription()
    const timeout = new Promise<void>((resolve) => timer.add(delay(this.clock, flushTimeout, resolve)))
    await Promise.race([connection.flush().catch(() => undefined), timeout])
    timer.unsubscribe()
    await connection.close().catch(() => undefined)
  }

  private onStatusError(error: Error): void {
    this.onError(error)
    if (error instanceof PermissionViolationError)
      for (const user of this.users) user.onRefused?.(this.problem)
  }

  private onError(thrown: unknown): void {
    this.problem = this.secrets.redact(causeOf(thrown).message)
  }
}

/**
 * An account may permit each user only its own subjects for replies. Names with other characters cannot be part of a
 * subject.
 */
const inboxPrefixOf = (user: string | undefined): string | undefined =>
  user !== undefined && /^[\w-]+$/.test(user) ? `_INBOX.${user}` : undefined
