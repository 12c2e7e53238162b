import { hostWithPort } from '../base/domain/endpoint.js'
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
  readonly resolve?: boolean
  readonly debug?: boolean
  readonly verbose?: boolean
  readonly pedantic?: boolean
  readonly noAsyncTraces?: boolean
  readonly ignoreAuthErrorAbort?: boolean
}

/** The types of `@nats-io/transport-node` are not repeated: its declarations do not compile under every strict setting. */
export type NatsAuthenticator = (nonce?: string) => unknown

/** The names of the options of a NATS connection. A misspelt name gets a suggestion. */
export const connectionNames: Readonly<Record<keyof NatsOptions, true>> = {
  servers: true,
  authenticator: true,
  debug: true,
  ignoreAuthErrorAbort: true,
  ignoreClusterUpdates: true,
  inboxPrefix: true,
  name: true,
  noAsyncTraces: true,
  noRandomize: true,
  pass: true,
  pedantic: true,
  resolve: true,
  tls: true,
  token: true,
  user: true,
  verbose: true,
}

/** The options of the NATS connection among others. */
export const connectionOptionsOf = (options: NatsOptions): NatsOptions => {
  const entries = Object.entries(options).filter(([name]) => Object.hasOwn(connectionNames, name))
  return { ...Object.fromEntries(entries), servers: options.servers }
}

/** What the addresses of servers contain. */
export interface ParsedServers {
  /** Host and port of each. */
  readonly addresses: readonly string[]
  /** Host and port of the first one, as in diagnostics. */
  readonly host: string
  readonly isTls: boolean
  /** Of the first address that has a user: `nats://user:password@host`. The NATS client ignores it. */
  readonly user?: string
  readonly pass?: string
}

const schemes = ['nats:', 'tls:']

/** The NATS client itself uses the port of the program's last `connect` or `wsconnect`. */
const defaultPort = 4222

/** Throws a `ConfigurationError`. */
export const parseServers = (servers: unknown): ParsedServers => {
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers]
  const urls = list.map(parseServer)
  const [first] = urls
  if (first === undefined) throw serversError()
  const { username, password } = urls.find((url) => url.username !== '') ?? first
  return {
    addresses: urls.map(({ host, port }) => (port === '' ? `${host}:${defaultPort}` : host)),
    host: hostWithPort(first),
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(username === '' ? {} : { user: decoded(username) }),
    ...(username === '' || password === '' ? {} : { pass: decoded(password) }),
  }
}

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
