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
