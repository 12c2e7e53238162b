import { signRequest, type Address } from 'svc-streams'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { endpointOf } from '../../../../src/base/domain/endpoint.js'
import { concatenateHeaders, createSigner } from '../../../../src/wire/auth/sign-request.js'
import { Secrets } from '../../../../src/wire/auth/secrets.js'
import { Relayer, type RelayerConfig } from '../../../../src/wire/http/requests.js'
import { node } from '../../../../src/wire/platform/node.js'
import { ResponsiveDeadlines } from '../../../../src/base/time/timers.js'
import { rxClock } from '../../../../src/base/time/clock.js'
import { FakeHttp } from '../../../support/fake-http.js'
import { unlimited } from './unlimited.js'

export const mint: Address = '0xAb'
export const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')

/** The local time of every test, in ms since the Unix epoch. */
export const now = Date.UTC(2025, 0, 1, 12)

/** The `Date` header of a service whose clock is `ms` ms ahead. */
export const dateAfter = (ms: number): string => new Date(now + ms).toUTCString()

/** Replaces the wall clock in each test of the calling file by one that only the test moves. */
export const fakeWallClock = (): { now: number } => {
  const clock = { now }
  beforeEach(() => {
    clock.now = now
    vi.spyOn(Date, 'now').mockImplementation(() => clock.now)
  })
  afterEach(() => void vi.restoreAllMocks())
  return clock
}

export const relayerOf = (config: Partial<RelayerConfig> = {}): { relayer: Relayer; http: FakeHttp } => {
  const http = new FakeHttp()
  const secrets = new Secrets()
  const relayer = new Relayer({
    clock: rxClock,
    publish: node.publish,
    limiter: unlimited,
    http,
    timeouts: new ResponsiveDeadlines(rxClock, 100),
    maxLag: 5000,
    maxBodyBytes: 4096,
    secrets,
    relayer: endpointOf(new URL('https://relayer.example:3000')),
    headers: {},
    sign: createSigner({
      service: 'svc',
      key: Buffer.from(key, 'base64'),
      createMac: node.createMac,
      canonicalHeaders: concatenateHeaders,
      headers: {},
      secrets,
    }),
    authExpiration: 10_000,
    ...config,
  })
  return { relayer, http }
}

export const untilRequested = (http: FakeHttp, count: number): Promise<void> =>
  vi.waitFor(() => expect(http.requests).toHaveLength(count), { interval: 2 })

export const signatureOf = (http: FakeHttp, number: number): string =>
  http.request(number).headers['x-svc-auth'] ?? ''

export const expirationOf = (http: FakeHttp, number: number): number =>
  Number(http.request(number).headers['x-svc-auth-expiration'])

/** The signature that the service expects. */
export const expectedSignature = (path: string, expiration: number): string => {
  const headers = { 'x-svc-auth-expiration': String(expiration) }
  return (signRequest({ key, path, headers }) as { right: string }).right
}
