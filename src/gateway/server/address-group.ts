import { isIPv6 } from 'node:net'

/** Hextets of the part of an IPv6 address that a network assigns to one site: 64 bits. */
const siteHextets = 4

/** An IPv4 address in the notation of IPv6. */
const mapped = /^::ffff:(?=\d+\.)/i

/** The addresses that may belong to one program: an IPv4 address, or the IPv6 addresses of one network. */
export const addressGroupOf = (address: string): string => {
  const plain = address.replace(mapped, '')
  if (!isIPv6(plain)) return plain
  const [before = '', after] = plain.replace(/%.*$/, '').split('::')
  const head = before.split(':').filter((hextet) => hextet !== '')
  const tail = (after ?? '').split(':').filter((hextet) => hextet !== '')
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, siteHextets).join(':')
}
