import { ConfigurationError } from '../errors/configuration-error.js'
import { authHeaderNames, type HeaderPairs } from './mac.js'

/** A header name of RFC 9110, section 5.1. */
const namePattern = /^[\w!#$%&'*+.^`|~-]+$/

/** ASCII without control characters. */
const valuePattern = /^[\x20-\x7e]*$/

/**
 * Headers of the connection and of the body. The transport sets those that it needs: another value would break the
 * framing of the request, or the reading of its response.
 */
const transportHeaders: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * Checks the option `headers` and trims its values. Throws a `ConfigurationError` that contains no value, nor a text that
 * is not a header name, because it may be a value.
 */
export const parseHeaders = (
  headers: Readonly<Record<string, unknown>>,
  service: string,
): Readonly<Record<string, string>> => {
  const reserved = [...Object.values(authHeaderNames(service)), ...transportHeaders]
  const names = new Set<string>()
  const parse = ([name, value]: readonly [string, unknown]): HeaderPairs[number] => {
    if (!namePattern.test(name)) throw new ConfigurationError('headers', 'expected valid names of headers')
    const lowerCased = name.toLowerCase()
    const fail = (problem: string): never => {
      throw new ConfigurationError(`headers.${name}`, problem)
    }
    if (reserved.includes(lowerCased)) return fail('is reserved: the client sets this header')
    if (names.has(lowerCased)) return fail('is given twice; header names are case-insensitive')
    names.add(lowerCased)
    if (value === undefined) return fail('is undefined; omit the header or set a value')
    if (typeof value !== 'string' || !valuePattern.test(value)) {
      return fail('expected a string of ASCII characters without control characters')
    }
    return [name, value.trim()]
  }
  return Object.fromEntries(Object.entries(headers).map(parse))
}
