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
