import { ConfigurationError } from '../../errors/configuration-error.js'

const schemes = ['nats:', 'tls:']

/** The addresses of the servers as URLs. Throws a `ConfigurationError`. */
export const parseServers = (servers: unknown): readonly URL[] => {
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers]
  if (list.length === 0) throw serversError()
  return list.map(parseServer)
}

const parseServer = (server: unknown): URL => {
  if (typeof server !== 'string') throw serversError()
  const text = server.includes('://') ? server : `nats://${server}`
  // Other schemes than those of the web have no host without this.
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
