import type { NatsOptions } from './options.js'

/** The names of the options of a NATS connection: a misspelt one gets a suggestion. */
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
