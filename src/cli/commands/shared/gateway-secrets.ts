import { statSync } from 'node:fs'
import { isLeft, isRight, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { messageOf, printable } from '../../../base/errors/text.js'
import type { GatewayAccess, GatewayKeys, GatewayOptions, GatewayTls } from '../../../gateway/index.js'
import type { RunningGateway } from '../../../gateway/run-gateway.js'
import { decodeKey } from '../../../wire/auth/key.js'
import type { Io } from '../../io.js'
import { onlyGiven, textFlag, type Values } from '../../target/parse-flags.js'
import { readBytes, readJson } from '../../target/read-file.js'
import { log } from './log.js'

// The keys, access tokens and certificates of a gateway, in files.

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

export type Secrets = Pick<GatewayOptions, 'keys' | 'access' | 'tls'>

/** The options that SIGHUP reads again. Left: the error message. */
export const readSecrets = (flags: SecretFlags): Either<string, Secrets> => {
  const keys = flags.keys === undefined ? right(undefined) : readKeysFile(flags.keys)
  if (isLeft(keys)) return keys
  const access = flags.access === undefined ? right(undefined) : readAccessFile(flags.access)
  if (isLeft(access)) return access
  const tls = readTlsFiles(flags)
  if (isLeft(tls)) return tls
  return right(onlyGiven({ keys: keys.right, access: access.right, tls: tls.right }))
}

/** Reads the files of the secrets again; `undefined` without such files. */
export const reloader = (io: Io, running: RunningGateway, flags: SecretFlags): (() => void) | undefined => {
  const { keys, access, tlsKey } = flags
  if (keys === undefined && access === undefined && tlsKey === undefined) return undefined
  return () => {
    const kept = 'The gateway keeps what it has.'
    const secrets = readSecrets(flags)
    if (isLeft(secrets)) return log(io, `${printable(secrets.left)}. ${kept}`, 'warn')
    try {
      running.replace(secrets.right)
      log(io, 'The keys, access tokens and certificates are read again.')
    } catch (thrown) {
      log(io, `${printable(messageOf(thrown))}. ${kept}`, 'warn')
    }
  }
}

/** Warns of a file of secrets that other users of the machine can read. Windows has no such mode. */
export const warnOfReaders = (io: Io, { keys, access, tlsKey }: SecretFlags): void => {
  if (io.platform === 'win32') return
  for (const path of [keys, access, tlsKey]) {
    if (path !== undefined && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o044) !== 0)
      log(io, `Other users of this machine can read ${printable(path)}: chmod 600 it.`, 'warn')
  }
}

/** The access of a file, which the gateway checks. The reason contains no secret. */
const readAccessFile = (path: string): Either<string, GatewayAccess> => {
  const failed = (problem: string) => left(`--access: ${path}${problem}`)
  const json = readJson(path)
  if (isLeft(json) && json.left.kind === 'file') return failed(json.left.message)
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
  if (isLeft(json) || !isObject(json.right))
    return failed(': expected JSON such as { "desk": "…" }: secrets, by name')
  // The file may be that of the option.
  const { tokens = json.right } = json.right as { readonly tokens?: unknown }
  return right({ tokens: tokens as GatewayAccess['tokens'] })
}

/**
 * The keys of a file, JSON such as `{ "desk": "AAEC…" }`, which the gateway checks. Left: the reason why there are none. It
 * contains no key: the messages of the JSON parser, which quote the text, are not repeated.
 */
export const readKeysFile = (path: string): Either<string, GatewayKeys> => {
  const failed = (problem: string) => left(`--keys: ${path}${problem}`)
  const json = readJson(path)
  if (isLeft(json) && json.left.kind === 'file') return failed(json.left.message)
  if (isLeft(json) || typeof json.right !== 'object' || json.right === null || Array.isArray(json.right))
    return failed(': expected JSON such as { "desk": "…" }: keys in base64, by name')
  const keys = json.right as GatewayKeys
  const isShort = (key: unknown) => {
    const bytes = decodeKey(key)
    return isRight(bytes) && bytes.right.length < minKeyBytes
  }
  return Object.values(keys).some(isShort)
    ? failed(`: a key has fewer than ${minKeyBytes} bytes; make one with: openssl rand -base64 32`)
    : right(keys)
}

/** A shorter key can be guessed. */
const minKeyBytes = 16

/** The private key and the certificate in these files; `undefined` without flags. Left: the error message. */
const readTlsFiles = ({ tlsKey, tlsCert }: SecretFlags): Either<string, GatewayTls | undefined> => {
  if (tlsKey === undefined && tlsCert === undefined) return right(undefined)
  if (tlsKey === undefined) return left('--tls-cert: requires --tls-key, the private key of the certificate')
  if (tlsCert === undefined) return left('--tls-key: requires --tls-cert, the certificate of the key')
  const key = readPem('--tls-key', tlsKey)
  if (isLeft(key)) return key
  const cert = readPem('--tls-cert', tlsCert)
  return isLeft(cert) ? cert : right({ key: key.right, cert: cert.right })
}

const readPem = (flag: string, path: string): Either<string, Uint8Array> =>
  mapLeft((problem: string) => `${flag}: ${path}${problem}`)(readBytes(path))
