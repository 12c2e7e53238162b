import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { ConfigurationError } from '../../errors/configuration-error.js'
import type { GatewayOptions } from '../../gateway/index.js'
import { flagErrorText } from './flag-error.js'
import { readKeysFile } from './keys-file.js'
import { readTlsFiles, type TlsFlags } from './tls-files.js'

/** The flags of `gateway` that configure the server, as commander names and parses them. */
export interface GatewayServerFlags extends TlsFlags {
  readonly port: number
  readonly host: string
  readonly keys?: string
  readonly origin?: readonly string[]
  readonly openDepth?: true
}

/** The gateway options of the flags. Reads the files. Left: the error message. */
export const gatewayServerOptions = (flags: GatewayServerFlags): Either<string, GatewayOptions> => {
  const { port, host, origin, openDepth } = flags
  const keys = flags.keys === undefined ? right(undefined) : readKeysFile(flags.keys)
  if (isLeft(keys)) return keys
  const tls = readTlsFiles(flags)
  if (isLeft(tls)) return tls
  return right({
    port,
    host,
    ...(keys.right === undefined ? {} : { keys: keys.right }),
    ...(tls.right === undefined ? {} : { tls: tls.right }),
    ...(origin === undefined ? {} : { origins: origin }),
    ...(openDepth === undefined ? {} : { openDepth }),
  })
}

/** The message of a `ConfigurationError` of the gateway with flags instead of option names. */
export const gatewayErrorText = (error: ConfigurationError): string => {
  const { option, message } = error
  if (option === 'tls') return `--tls-key, --tls-cert:${message.slice('tls:'.length)}`
  return flagErrorText(error)
    .replace('set keys,', 'set --keys,')
    .replace('--open-depth: true', '--open-depth')
}
