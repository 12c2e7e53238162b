import { isIPv6 } from 'node:net'
import { urlHost } from './access/host.js'

/** The addresses of a gateway, as options of a client. */
export interface Addresses {
  readonly baseUrl: string
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
}

/** An address that means all interfaces is not one to connect to: the URLs have the loopback address. */
const connectHosts: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const addressesOf = (host: string, port: number, isTls: boolean): Addresses => {
  const authority = `${urlHost(connectHosts[isIPv6(host) ? compressed(host) : host] ?? host)}:${port}`
  const baseUrl = `${isTls ? 'https' : 'http'}://${authority}`
  return { baseUrl, priceBaseUrl: baseUrl, priceWsUrl: `${isTls ? 'wss' : 'ws'}://${authority}` }
}

/** The shortest spelling of an IPv6 address, such as `::` for `0:0:0:0:0:0:0:0`. */
const compressed = (address: string): string => {
  const url = `http://[${address}]`
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address
}
