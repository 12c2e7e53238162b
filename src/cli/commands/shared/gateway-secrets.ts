import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { messageOf, printable } from '../../../base/errors/text.js'
import type { GatewayAccess, GatewayKeys, GatewayOptions, GatewayTls } from '../../../gateway/index.js'
import type { RunningGateway } from '../../../gateway/run-gateway.js'
import { decodeKey } from '../../../wire/auth/sign-request.js'
import type { Io } from '../../io.js'
import { onlyGiven, textFlag, usageError, type Values } from '../../target/parse-flags.js'
import { readBytes, readJson } from '../../target/read-file.js'
import { log } from './log.js'

// The keys, access tokens and certificates of a gateway, in files. No error contains a secret.

export const secretFlags = {
  keys: textFlag(
    '--keys <file>',
    'keys of consumers, as JSON: { name: base64 }; they must sign depth requests',
  ),
  access: textFlag('--access <file>', 'tokens that everything needs, as JSON: { name: secret }'),
  tlsKey: textFlag('--tls-key <file>', 'private key in PEM, for https: and wss:'),
  tlsCert: textFlag('--tls-cert <file>', 'certificate of --tls-key, in PEM'),
}

type SecretFlags = Values<typeof secretFlags>

/** The options that SIGHUP reads again; the gateway checks them. A file that cannot be read is a usage error. */
export const readSecrets = (flags: SecretFlags): Pick<GatewayOptions, 'keys' | 'access' | 'tls'> => {
  const keys = flags.keys === undefined ? undefined : readKeysFile(flags.keys)
  const access = flags.access === undefined ? undefined : readAccessFile(flags.access)
  return onlyGiven({ keys, access, tls: readTlsFiles(flags) })
}

/** Reads the files of the secrets again; `undefined` without such files. */
export const reloader = (io: Io, running: RunningGateway, flags: SecretFlags): (() => void) | undefined => {
  const { keys, access, tlsKey } = flags
  if (keys === undefined && access === undefined && tlsKey === undefined) return undefined
  return () => {
    try {
      running.replace(readSecrets(flags))
      log(io, 'The keys, access tokens and certificates are read again.')
    } catch (thrown) {
      log(io, `${printable(messageOf(thrown))}. The gateway keeps what it has.`, 'warn')
    }
  }
}

/** The file may be that of the option. */
const readAccessFile = (path: string): GatewayAccess => {
  const json = readObject('--access', path, 'secrets, by name') as Partial<GatewayAccess>
  return { tokens: json.tokens ?? (json as GatewayAccess['tokens']) }
}

export const readKeysFile = (path: string): GatewayKeys => {
  const keys = readObject('--keys', path, 'keys in base64, by name') as GatewayKeys
  const isShort = (key: unknown) => {
    const bytes = decodeKey(key)
    return isRight(bytes) && bytes.right.length < minKeyBytes
  }
  return Object.values(keys).some(isShort)
    ? usageError(
        `--keys: ${path}: a key has fewer than ${minKeyBytes} bytes; make one with: openssl rand -base64 32`,
      )
    : keys
}

/** A shorter key can be guessed. */
const minKeyBytes = 16

/** The object in a file of JSON. The messages of the parser, which quote the text, are not repeated. */
const readObject = (flag: string, path: string, content: string): object => {
  const json = readJson(path)
  if (isLeft(json) && json.left.kind === 'file') return usageError(`${flag}: ${path}${json.left.message}`)
  return isLeft(json) || typeof json.right !== 'object' || json.right === null || Array.isArray(json.right)
    ? usageError(`${flag}: ${path}: expected JSON such as { "desk": "…" }: ${content}`)
    : json.right
}

const readTlsFiles = ({ tlsKey, tlsCert }: SecretFlags): GatewayTls | undefined => {
  if (tlsKey === undefined && tlsCert === undefined) return undefined
  if (tlsKey === undefined)
    return usageError('--tls-cert: requires --tls-key, the private key of the certificate')
  if (tlsCert === undefined) return usageError('--tls-key: requires --tls-cert, the certificate of the key')
  return { key: readPem('--tls-key', tlsKey), cert: readPem('--tls-cert', tlsCert) }
}

const readPem = (flag: string, path: string): Uint8Array => {
  const bytes = readBytes(path)
  return isLeft(bytes) ? usageError(`${flag}: ${path}${bytes.left}`) : bytes.right
}
