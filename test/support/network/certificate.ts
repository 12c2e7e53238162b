import { generateKeyPairSync, sign } from 'node:crypto'

/** A private key and its certificate, in PEM. */
export interface KeyAndCertificate {
  readonly key: string
  readonly cert: string
}

const day = 24 * 60 * 60 * 1000

export interface CertificateOptions {
  /** In ms since the Unix epoch. Default: in one day. */
  readonly validUntil?: number
  /** Host name. Default: localhost. */
  readonly host?: string
}

/** Creates a key and a self-signed certificate for a host name and 127.0.0.1, valid since yesterday. */
export const createSelfSignedCertificate = ({
  validUntil = Date.now() + day,
  host = 'localhost',
}: CertificateOptions = {}): KeyAndCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(ecdsaWithSha256)
  const name = sequence(set(sequence(commonName, der(0x0c, Buffer.from(host)))))
  const names = sequence(der(0x82, Buffer.from(host)), der(0x87, Buffer.of(127, 0, 0, 1)))
  const unsigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(validUntil)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, names)))),
  )
  const signature = sign('sha256', unsigned, privateKey)
  const certificate = sequence(unsigned, algorithm, der(0x03, Buffer.of(0), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

/** Encodes one ASN.1 value in DER: tag, length, content. */
const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.of(tag), encodeLength(body.length), body])
}

/** Encodes a length in the fewest bytes, as DER requires. */
const encodeLength = (length: number): Buffer => {
  if (length < 128) return Buffer.of(length)
  return length < 256 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 255)
}

const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content)

const set = (...content: Buffer[]): Buffer => der(0x31, ...content)

/** Encodes a UTCTime, `YYMMDDhhmmssZ`. */
const time = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, '')}Z`))

const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))

const ecdsaWithSha256 = objectId('2a8648ce3d040302')
const commonName = objectId('550403')
const subjectAltName = objectId('551d11')
