import { createClient } from 'svc-streams'
import { NEVER } from 'rxjs'
import { record, replay } from 'svc-streams/recording'
import { instrument } from 'svc-streams/opentelemetry'
import { createTestClient } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { startTestSimulator } from '../../support/simulator.js'
import { memoryWriter } from '../../backtest/recording/support/rows.js'

type Accept = (options: object) => unknown

const messageOf = (act: () => unknown): string => {
  try {
    act()
    return 'accepted'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    return (thrown as ConfigurationError).message
  }
}

const valid = { to: memoryWriter(), topics: ['svc-0xab'] as const }
const replayed: Accept = (options) => replay([], options)
const recorded: Accept = (options) => record(createTestClient(), { ...valid, ...options })
const tested: Accept = (options) => createTestClient(options)
const instrumented: Accept = (options) => instrument(options)()

const environment = "environment: expected 'mainnet' or 'testnet'"
const topics = 'topics: expected topics like svc-0x82af…'
const undefinedMeter = 'meterProvider: is undefined; omit the option or set a value'
const tracer = 'tracerProvider: expected an object with the methods getTracer'
const writable = 'to: expected a path, or an object with the methods write'

describe('options', () => {
  it.each<[string, Accept, object, string]>([
    ['replay', replayed, { speeed: 2 }, 'speeed: did you mean speed?'],
    ['replay', replayed, { sped: Infinity }, 'sped: did you mean speed?'],
    ['replay', replayed, { speed: '2' }, 'speed: expected a number above 0, or Infinity'],
    ['replay', replayed, { environment: 'main' }, environment],
    ['replay', replayed, { other: 1, speed: undefined }, 'accepted'],
    ['record', recorded, { intervall: 5 }, 'intervall: did you mean interval?'],
    ['record', recorded, { topics: 'svc-0xab' }, topics],
    ['record', recorded, { mints: '0xab' }, 'mints: expected token addresses like 0x82af…'],
    ['record', recorded, { to: undefined }, writable],
    ['record', recorded, { to: '' }, writable],
    ['createTestClient', tested, { price: {} }, 'price: did you mean prices?'],
    ['createTestClient', tested, { prices: {}, stmp: true }, 'stmp: did you mean stamp?'],
    ['createTestClient', tested, { prices: () => NEVER }, 'prices: expected an object of observables'],
    ['createTestClient', tested, { depths: { '0xab': [1] } }, 'depths: expected an object of observables'],
    ['createTestClient', tested, { status$: 5 }, 'status$: expected an observable'],
    ['createTestClient', tested, { environment: 'main' }, environment],
    ['instrument', instrumented, { meterProvidr: {} }, 'meterProvidr: did you mean meterProvider?'],
    ['instrument', instrumented, { meterProvider: undefined }, undefinedMeter],
    ['instrument', instrumented, { tracerProvider: {} }, tracer],
  ])('of %s are checked', (_, accept, options, message) => {
    expect(messageOf(() => accept(options))).toBe(message)
  })

  it.each([replayed, recorded, tested])('may contain the properties of a simulator', async (accept) => {
    const simulator = await startTestSimulator({})
    expect(messageOf(() => accept({ ...simulator }))).toBe('accepted')
  })

  it.each([replayed, tested])('that are null throw a ConfigurationError', (accept) => {
    expect(messageOf(() => accept(null as never))).toBe('options: expected an object')
  })
})

describe('record', () => {
  it('throws without a client', () => {
    const client = 'client: expected an object with the methods price$ and price'
    expect(messageOf(() => record(undefined as never, valid))).toBe(client)
  })

  it('throws for a mint, and writes nothing, if the client has no depth', async () => {
    await using client = createClient({ environment: 'testnet', priceBaseUrl: 'https://prices.example' })
    const to = memoryWriter()
    expect(messageOf(() => record(client, { to, mints: ['0xab'] }))).toMatch(
      /^depth: requires environment: 'mainnet'/,
    )
    expect(to.lines).toEqual([])
  })
})
