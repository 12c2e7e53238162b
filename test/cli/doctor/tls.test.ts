import { expect, test } from 'vitest'
import { createSelfSignedCertificate, type KeyAndCertificate } from '../../support/network/certificate.js'
import { startHttpServer, startWebSocketServer } from '../../support/network/servers.js'
import { runCommand } from '../support/command.js'
import { newFile } from '../support/new-file.js'
import { readOutput } from './support/read-output.js'

type Variables = Readonly<Record<string, string>>

/** Runs the command against TLS servers with this certificate. `host`: the host name that the client uses. */
const overTls = async (certificate: KeyAndCertificate, host: string, variables: Variables = {}) => {
  const origin = await startHttpServer((_request, response) => response.writeHead(404).end(), certificate)
  const { url } = await startWebSocketServer(() => undefined, { certificate })
  // Node reads NODE_EXTRA_CA_CERTS when a process starts.
  const output = await runCommand(['doctor'], {
    SVC_PRICE_BASE_URL: origin.replace('127.0.0.1', host),
    SVC_PRICE_WS_URL: url.replace('127.0.0.1', host),
    ...variables,
  })
  return readOutput(output)
}

const trusting = (certificate: KeyAndCertificate): Variables => ({
  NODE_EXTRA_CA_CERTS: newFile('ca.pem', certificate.cert),
})

const day = 24 * 60 * 60 * 1000

test('passes TLS with a trusted certificate, and prints how long it is valid', async () => {
  const certificate = createSelfSignedCertificate()
  const { results } = await overTls(certificate, 'localhost', trusting(certificate))
  expect(results.get('TLS')).toMatch(
    /^ok {7}localhost:\d+ valid for 0 days, until .*; localhost:\d+ valid for 0 days/,
  )
})

test("fails TLS with a self-signed, an expired, and another host's certificate", async () => {
  const valid = createSelfSignedCertificate()
  const unknown = await overTls(valid, 'localhost')
  expect(unknown.results.get('TLS')).toMatch(/^failed {3}.*SELF_SIGNED.* set NODE_EXTRA_CA_CERTS/)
  const expired = createSelfSignedCertificate({ validUntil: Date.now() - day / 2 })
  const old = await overTls(expired, 'localhost', trusting(expired))
  expect(old.results.get('TLS')).toMatch(/^failed {3}.*CERT_HAS_EXPIRED.* Ask the operator of the service/)
  const foreign = createSelfSignedCertificate({ host: 'other.example' })
  const other = await overTls(foreign, 'localhost', trusting(foreign))
  expect(other.results.get('TLS')).toMatch(
    /^failed {3}.*ERR_TLS_CERT_ALTNAME_INVALID.* Use the host name of the certificate/,
  )
  expect(other.results.get('price over HTTP')).toBe('skipped  TLS failed')
})

test('says that a port may not use TLS, in words', async () => {
  const origin = await startHttpServer((_request, response) => response.end())
  const url = origin.replace('http:', 'https:')
  const { results } = readOutput(
    await runCommand(['doctor'], {
      SVC_PRICE_BASE_URL: url,
      SVC_PRICE_WS_URL: url.replace('https:', 'wss:'),
    }),
  )
  expect(results.get('TLS')).toMatch(
    /^failed {3}127\.0\.0\.1:\d+: TLS: [a-z ]+\. Check the port and the scheme in --price-ws-url/,
  )
})
