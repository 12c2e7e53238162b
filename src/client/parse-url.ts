import { ConfigurationError } from '../errors/configuration-error.js'
import type { UrlOption } from '../option-kinds/option.js'

/**
 * Parses an option as a URL. Throws a `ConfigurationError` that does not repeat the URL, which may contain a secret.
 * With `secure`, a scheme without TLS is accepted only for loopback addresses.
 */
export const parseUrl = (
  option: string,
  value: unknown,
  schemes: UrlOption['schemes'],
  secure: boolean,
): URL => {
  const fail = (problem: string): never => {
    throw new ConfigurationError(option, problem)
  }
  const expected = schemes.map((scheme) => `${scheme}//…`).join(' or ')
  if (typeof value !== 'string' || !URL.canParse(value)) return fail(`expected a URL like ${expected}`)
  const url = new URL(value)
  if (!schemes.includes(url.protocol)) return fail(`expected ${expected}, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') return fail('credentials in a URL are not supported')
  if (url.hash !== '') return fail('a fragment (#…) is not supported')
  // Transports replace it by the default port of the scheme.
  if (url.port === '0') return fail('expected a port from 1 to 65535, not 0')
  if (secure && url.protocol === schemes[1] && !isLoopback(url.hostname)) {
    return fail(`${url.protocol} to another machine is not encrypted; use ${schemes[0]} or set allowInsecure`)
  }
  return url
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
