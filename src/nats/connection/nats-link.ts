import type { NatsConnection } from '@nats-io/transport-node'
import { isIP } from 'node:net'
import { Subscription } from 'rxjs'
import { Secrets } from '../../wire/auth/secrets.js'
import { hostWithPort } from '../../base/domain/endpoint.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { Cancel } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { clusterServers, dialServers, type DialOptions, type OpenTcpSocket } from './dial.js'
import type { NatsOptions } from './options.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'

/** Receives the connection to NATS once, and its loss once. */
export interface LinkUser {
  readonly onConnected: (connection: NatsConnection) => void
  /** `reason`: a text without secrets. */
  readonly onLost: (reason: string) => void
}

/** The time between two attempts to connect, in ms. */
export const retryTime = 250

/** The time that one server has to accept a connection, in ms. */
export const connectTime = 1_500

/** After this number of searches without an answer of a gateway, another server is dialled. */
const maxUnanswered = 2

/** The time for which a connection without users stays open, in ms. */
const idleTime = 4_000

/** The time in which a closing connection may send its last messages, in ms. */
const flushTimeout = 500

/**
 * A connection whose server does not answer is closed after two to three times this time, in ms. This is earlier than
 * the end of a session whose gateway does not answer, because a new session would use the same connection.
 */
const pingInterval = 450

/**
 * The connection to NATS. It opens for its first user, opens again after a loss, and closes after its last user. The
 * NATS client's own reconnects are off, because the data that it buffers during a loss would arrive late.
 */
export class NatsLink {
  private readonly users = new Set<LinkUser>()
  private readonly options: DialOptions
  private readonly servers: readonly string[]
  private readonly settings: { readonly ignoreClusterUpdates: boolean; readonly noRandomize: boolean }
  /** Further servers of the cluster that were known at the start and at the end of the last connection. */
  private discovered: readonly string[] = []
  private readonly secrets = new Secrets()
  /** The server of the last connection. It is dialled last, because it may have failed. */
  private lastServer = ''
  /** The servers at which no gateway has answered since the last answer of a gateway. They are dialled last. */
  private readonly left = new Set<string>()
  /** The number of searches over this connection without an answer. */
  private unanswered = 0
  private connection: NatsConnection | undefined
  /** Ends the dial that is under way. */
  private cancelDial: Cancel | undefined
  private isClosed = false
  private timer = new Subscription()
  /** Host and port of the first server: the name of the connection in diagnostics. */
  readonly host: string
  /** The beginning of the subjects on which this user receives replies. `undefined`: the default of NATS. */
  readonly inboxPrefix: string | undefined
  /** The last failure of the connection, as a text without secrets; empty if there is none. */
  problem = ''

  constructor(
    { servers, ...options }: NatsOptions,
    private readonly clock: Clock,
    openSocket?: OpenTcpSocket,
  ) {
    const urls = parseServers(servers)
    this.servers = urls.map(({ host, port }) => (port === '' ? `${host}:${defaultPort}` : host))
    this.host = urls[0] === undefined ? '' : hostWithPort(urls[0])
    const { ignoreClusterUpdates = false, noRandomize = false } = options
    this.settings = { ignoreClusterUpdates, noRandomize }
    const credentials = credentialsOf(urls)
    this.inboxPrefix = options.inboxPrefix ?? inboxPrefixOf(options.user ?? credentials.user)
    for (const secret of [options.pass, options.token, credentials.pass]) {
      if (secret !== undefined) this.secrets.addValue(secret)
    }
    this.options = {
      ...credentials,
      ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
      ...options,
      reconnect: false,
      // The link dials them.
      ignoreClusterUpdates: true,
      pingInterval,
      maxPingOut: 2,
      timeout: connectTime,
      ...(openSocket && { openSocket }),
      // A cluster announces its servers by address. Their certificates have the name of the configured server.
      ...(urls.every(isNamed) ? { nameOfAddresses: urls[0]?.hostname } : {}),
    } as DialOptions
  }

  /** Connects if necessary. Calls back at once if the connection is open. */
  use(user: LinkUser): Cancel {
    this.users.add(user)
    this.timer.unsubscribe()
    if (this.connection !== undefined) user.onConnected(this.connection)
    else this.connect()
    return () => {
      if (this.users.delete(user)) this.closeIfUnused()
    }
  }

  /** A gateway answers over the connection. */
  onAnswered(): void {
    this.left.clear()
    this.unanswered = 0
  }

  /**
   * No gateway has answered a search. The server may have no connection to the other servers of the cluster, where a
   * gateway may answer.
   */
  onUnanswered(connection: NatsConnection): void {
    if (this.connection !== connection || ++this.unanswered < maxUnanswered) return
    const servers = this.serversInOrder()
    if (servers.length < 2) return
    this.left.add(this.lastServer)
    if (servers.every((server) => this.left.has(server))) {
      this.left.clear()
      this.left.add(this.lastServer)
    }
    this.onLost(connection, undefined)
    void this.end(connection)
  }

  /** Sends the buffered data and closes the connection. Idempotent. */
  async close(): Promise<void> {
    this.isClosed = true
    this.users.clear()
    this.timer.unsubscribe()
    this.cancelDial?.()
    const { connection } = this
    if (connection !== undefined) await this.end(connection)
  }

  private connect(): void {
    if (this.cancelDial !== undefined || this.isClosed) return
    this.cancelDial = dialServers(this.serversInOrder(), this.options, this.clock, {
      onConnected: (connection, server) => {
        this.cancelDial = undefined
        this.lastServer = server
        this.onConnected(connection)
      },
      onFailed: (error) => {
        this.cancelDial = undefined
        this.problem = this.describe(error)
        this.connectLater()
      },
    })
  }

  private serversInOrder(): string[] {
    const { discovered, lastServer, left } = this
    const { ignoreClusterUpdates, noRandomize } = this.settings
    const all = [...new Set([...this.servers, ...(ignoreClusterUpdates ? [] : discovered)])]
    const rank = (server: string): number =>
      Number(left.has(server)) + Number(!noRandomize && server === lastServer)
    return (noRandomize ? all : shuffled(all)).sort((a, b) => rank(a) - rank(b))
  }

  private connectLater(): void {
    if (this.users.size === 0) return
    this.timer.unsubscribe()
    this.timer = delay(this.clock, retryTime, () => this.connect())
  }

  private onConnected(connection: NatsConnection): void {
    this.problem = ''
    this.unanswered = 0
    this.connection = connection
    this.discovered = clusterServers(connection)
    void this.watch(connection)
    void connection.closed().then((error) => this.onLost(connection, error))
    for (const user of [...this.users]) user.onConnected(connection)
    this.closeIfUnused()
  }

  /** Keeps the last error of the server, such as a missing permission. */
  private async watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'error') this.problem = this.describe(status.error)
    }
  }

  private onLost(connection: NatsConnection, error: unknown): void {
    if (this.connection !== connection) return
    this.connection = undefined
    this.discoverMore(connection)
    if (error instanceof Error) this.problem = this.describe(error)
    const users = [...this.users]
    this.users.clear()
    for (const user of users) user.onLost(`the connection to NATS is lost${this.problemText}`)
  }

  /** Servers may have joined. A server that has left may return, or may only have lost its connection to the others. */
  private discoverMore(connection: NatsConnection): void {
    this.discovered = [...new Set([...this.discovered, ...clusterServers(connection)])]
  }

  /** The last failure, as the end of a sentence. */
  get problemText(): string {
    return this.problem === '' ? '' : `: ${this.problem}`
  }

  private closeIfUnused(): void {
    if (this.users.size > 0 || this.isClosed) return
    this.timer.unsubscribe()
    this.timer = delay(this.clock, idleTime, () => {
      const { connection } = this
      this.connection = undefined
      if (connection === undefined) return
      this.discoverMore(connection)
      void this.end(connection)
    })
  }

  private async end(connection: NatsConnection): Promise<void> {
    if (this.connection === connection) this.connection = undefined
    const timer = new Subscription()
    const timeout = new Promise<void>((resolve) => timer.add(delay(this.clock, flushTimeout, resolve)))
    await Promise.race([connection.flush().catch(() => undefined), timeout])
    timer.unsubscribe()
    await connection.close().catch(() => undefined)
  }

  private describe(thrown: unknown): string {
    return this.secrets.redact(causeOf(thrown).message)
  }
}

/** The user of the first address that has one: `nats://user:password@host`. The NATS client ignores it. */
const credentialsOf = (urls: readonly URL[]): { readonly user?: string; readonly pass?: string } => {
  const url = urls.find(({ username }) => username !== '')
  if (url === undefined) return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { user } : { user, pass: decodeURIComponent(url.password) }
}

/**
 * An account may permit each user only its own subjects for replies. Names with other characters cannot be part of a
 * subject.
 */
const inboxPrefixOf = (user: string | undefined): string | undefined =>
  user !== undefined && /^[\w-]+$/.test(user) ? `_INBOX.${user}` : undefined

/** A random order, so that the clients are spread over the servers. */
const shuffled = (servers: readonly string[]): string[] =>
  servers
    .map((server) => ({ server, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ server }) => server)

const schemes = ['nats:', 'tls:']

/** The NATS client itself uses the port of the program's last `connect` or `wsconnect`. */
const defaultPort = 4222

const isNamed = ({ hostname }: URL): boolean => isIP(hostname.replace(/^\[|\]$/g, '')) === 0

/** The addresses of the servers as URLs. Throws a `ConfigurationError`. */
const parseServers = (servers: unknown): readonly URL[] => {
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers]
  if (list.length === 0) throw serversError()
  return list.map(parseServer)
}

const parseServer = (server: unknown): URL => {
  if (typeof server !== 'string') throw serversError()
  const text = server.includes('://') ? server : `nats://${server}`
  // Without `//`, `URL` finds a host only for schemes of the web.
  if (!URL.canParse(text)) throw serversError()
  const url = new URL(text)
  if (!schemes.includes(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname)) {
    throw serversError()
  }
  return url
}

/** The value is not shown: it may contain a password. */
const serversError = () =>
  new ConfigurationError(
    'servers',
    'expected addresses like nats://127.0.0.1:4222 or tls://nats.example:4222',
  )
