import { readFileSync } from 'node:fs'
import { isLeft, left, right, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { messageOf } from '../../errors/text.js'
import type { GatewayTls } from '../../gateway/index.js'

/** The flags of a server's certificate. */
export interface TlsFlags {
  readonly tlsKey?: string
  readonly tlsCert?: string
}

/** The private key and the certificate in these files; `undefined` without flags. Left: the error message. */
export const readTlsFiles = ({ tlsKey, tlsCert }: TlsFlags): Either<string, GatewayTls | undefined> => {
  if (tlsKey === undefined && tlsCert === undefined) return right(undefined)
  if (tlsKey === undefined) return left('--tls-cert: requires --tls-key, the private key of the certificate')
  if (tlsCert === undefined) return left('--tls-key: requires --tls-cert, the certificate of the key')
  const key = readPem('--tls-key', tlsKey)
  if (isLeft(key)) return key
  const cert = readPem('--tls-cert', tlsCert)
  return isLeft(cert) ? cert : right({ key: key.right, cert: cert.right })
}

const readPem = (flag: string, path: string): Either<string, Uint8Array> =>
  tryCatch(
    () => readFileSync(path),
    (thrown) => `${flag}: ${path}: ${messageOf(thrown)}`,
  )
