import { isIPv4, isIPv6 } from 'node:net'
import type { Gateway } from '../gateway.js'

type Addresses = Pick<Gateway, 'baseUrl' | 'priceBaseUrl' | 'priceWsUrl'>

/** A client cannot connect to the address of all interfaces: the URLs have the loopback address. */
const connectHosts: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const addressesOf = (host: string, port: number, isTls: boolean): Addresses => {
  const authority = `${urlHost(connectHosts[host] ?? host)}:${port}`
  const baseUrl = `${isTls ? 'https' : 'http'}://${authority}`
  return { baseUrl, priceBaseUrl: baseUrl, priceWsUrl: `${isTls ? 'wss' : 'ws'}://${authority}` }
}

/** The value of a Host header without its port: a name or an IPv4 address, or an IPv6 address in brackets. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

/** The lower-case host of a Host header; `undefined` if the value is malformed. */
export const hostOf = (header: string): string | undefined => hostPattern.exec(header.toLowerCase())?.[1]

/** True for an IPv4 address, and for an IPv6 address in brackets. DNS cannot resolve it to another address. */
export const isIpLiteral = (host: string): boolean =>
  isIPv4(host) || (host.startsWith('[') && host.endsWith(']') && isIPv6(host.slice(1, -1)))

/** The form of an address in a URL and in a Host header: an IPv6 address has brackets. */
export const urlHost = (address: string): string => (isIPv6(address) ? `[${address}]` : address).toLowerCase()
