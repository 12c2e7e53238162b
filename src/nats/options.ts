import { readFileSync } from 'node:fs'
import { hostWithPort } from '../base/domain/endpoint.js'
import { Secrets } from '../wire/auth/secrets.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'

/**
 * Addresses of NATS and options of the connection, such as `user` and `pass`, `token`, `authenticator` and `tls`.
 * `@nats-io/transport-node` documents these. The library sets the reconnect and ping options.
 */
export interface NatsOptions {
  /** Addresses of NATS servers of one cluster, such as `nats://127.0.0.1:4222`, or one address. */
  readonly servers: string | readonly string[]
  /** Name of the user. Default: the name in the address, if any. */
  readonly user?: string
  /** Password of the user. Default: the password in the address, if any. */
  readonly pass?: string
  readonly token?: string
  /** An authenticator of `@nats-io/transport-node`, such as the result of `nkeyAuthenticator(seed)`, or several. */
  readonly authenticator?: NatsAuthenticator | NatsAuthenticator[]
  /** The TLS options of `@nats-io/transport-node`. Default: TLS if an address begins with `tls:`. */
  readonly tls?: object | null
  /** The beginning of the subjects of replies. Default: `_INBOX.<user>` if there is a user. */
  readonly inboxPrefix?: string
  /** Name of the connection in the server's monitoring. */
  readonly name?: string
  /** If true, servers of the cluster that are not in `servers` are never used. Default: `false`. */
  readonly ignoreClusterUpdates?: boolean
  readonly noRandomize?: boolean
  readonly debug?: boolean
  readonly verbose?: boolean
  readonly pedantic?: boolean
}

/** The types of `@nats-io/transport-node` are not repeated: its declarations do not compile under every strict setting. */
export type NatsAuthenticator = (nonce?: string) => unknown

/** The names of the options of a NATS connection. A misspelt name gets a suggestion. */
export const connectionNames: Readonly<Record<keyof NatsOptions, true>> = {
  servers: true,
  authenticator: true,
  debug: true,
  ignoreClusterUpdates: true,
  inboxPrefix: true,
  name: true,
  noRandomize: true,
  pass: true,
  pedantic: true,
  tls: true,
  token: true,
  user: true,
  verbose: true,
}

/** The time that one server has to accept a connection, in ms. */
export const connectTime = 1_500

/** The options that the library sets. The NATS client dials the servers in turn, and again after each loss, without limit. */
const ownOptions = {
  ...{ waitOnFirstConnect: true, maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, timeout: connectTime },
  // The transport resolves names.
  resolve: false,
  // Each would take the stack trace of a request.
  noAsyncTraces: true,
  // A connection is lost after two to three intervals without an answer. This is earlier than the end of a session whose gateway
  // does not answer, because a new session would use the same connection.
  ...{ pingInterval: 450, maxPingOut: 2 },
}

/** The connection that the options describe. */
export interface ParsedConnection {
  /** Host and port of the first server: the name of the connection in diagnostics. */
  readonly host: string
  /** The options of the NATS client, with host and port of each server. */
  readonly options: NatsOptions & { readonly servers: readonly string[] }
  /** Replaced in the texts of the connection. */
  readonly secrets: Secrets
}

/** The NATS client itself uses the port of the program's last `connect` or `wsconnect`. */
const defaultPort = 4222

/** Reads the options of the connection among others. Throws a `ConfigurationError`. */
export const parseConnection = (given: NatsOptions): ParsedConnection => {
  const urls = [given.servers].flat().map(parseServer)
  const [first] = urls
  if (first === undefined) throw serversError()
  // Of the first address that has a user: `nats://user:password@host`. The NATS client ignores it.
  const { username, password } = urls.find((url) => url.username !== '') ?? first
  const options: Omit<NatsOptions, 'servers'> = {
    ...(username === '' ? {} : { user: decoded(username) }),
    ...(username === '' || password === '' ? {} : { pass: decoded(password) }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(connectionNames, name))),
  }
  const { user, pass, token, inboxPrefix = inboxPrefixOf(user) } = options
  const secrets = new Secrets()
  for (const secret of [pass, token]) if (secret !== undefined) secrets.addValue(secret)
  const servers = urls.map(({ host, port }) => (port === '' ? `${host}:${defaultPort}` : host))
  const replies = inboxPrefix === undefined ? {} : { inboxPrefix }
  return { host: hostWithPort(first), options: { ...options, ...replies, ...ownOptions, servers }, secrets }
}

/** An account may permit each user only its own subjects for replies. Other names cannot be part of a subject. */
const inboxPrefixOf = (user: string | undefined): string | undefined =>
  user !== undefined && /^[\w-]+$/.test(user) ? `_INBOX.${user}` : undefined

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new ConfigurationError('servers', 'write each % of a user or a password as %25')
  }
}

const parseServer = (server: unknown): URL => {
  if (typeof server !== 'string') throw serversError()
  const text = server.includes('://') ? server : `nats://${server}`
  // Without `//`, `URL` finds a host only for schemes of the web.
  if (!URL.canParse(text)) throw serversError()
  const url = new URL(text)
  if (!['nats:', 'tls:'].includes(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname)) {
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

/** The files that TLS options of the NATS client name. */
type TlsFiles = Readonly<Partial<Record<'certFile' | 'keyFile' | 'caFile', string>>>

/** The TLS options of Node, with the certificates and the key that those of the NATS client name by files. */
export const handshakeOptionsOf = (tls: TlsFiles | null | undefined): object => {
  const { certFile, keyFile, caFile } = tls ?? {}
  return {
    ...tls,
    ...(certFile === undefined ? {} : { cert: readFileSync(certFile) }),
    ...(keyFile === undefined ? {} : { key: readFileSync(keyFile) }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
  }
}
