/** The parts of a base URL. A request path is built once from these parts, so that the signed path is the path that is sent. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string
  /** Host and port: its name in diagnostics. */
  readonly host: string
  /** The base URL's path, without a trailing slash; usually empty. */
  readonly prefix: string
  /** The query of every request, including the `?`; usually empty. */
  readonly query: string
}

export const endpointOf = (url: URL): Endpoint => ({
  origin: url.origin,
  host: hostWithPort(url),
  prefix: url.pathname.replace(/\/+$/, ''),
  query: url.search,
})

/** The ports of URLs without one. */
const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'ws:': '80',
  'https:': '443',
  'wss:': '443',
  'nats:': '4222',
  'tls:': '4222',
}

/** Host and port of a URL, such as `prices.example:443`: its name in diagnostics. */
export const hostWithPort = ({ hostname, port, protocol }: URL): string => {
  const number = port === '' ? defaultPorts[protocol] : port
  return number === undefined ? hostname : `${hostname}:${number}`
}

/** True only for `localhost` and the loopback addresses. `host`: in lower case as in a URL, an IPv6 address in brackets. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || loopbackIPv4.test(host)

const loopbackIPv4 = /^127(?:\.(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])){3}$/
