import { recordedMarket } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { parseSimulatorOptions } from '../../src/simulator/options.js'
import { authKey } from '../support/simulator.js'

const rejection = (options: object): string => {
  try {
    parseSimulatorOptions(options)
    return 'accepted'
  } catch (error) {
    expect(error).toHaveProperty('name', 'SimulatorError')
    return (error as Error).message
  }
}

test('parseSimulatorOptions applies the default of an option that is absent or undefined', () => {
  const absent = { httpPort: undefined, market: undefined, faults: undefined }
  expect(parseSimulatorOptions(absent as object)).toMatchObject({
    httpPort: 0,
    wsPort: 0,
    seed: 1,
    tick: 250,
    repeat: 10_000,
    service: 'svc',
    faults: {},
    signal: undefined,
  })
})

test.each(['AA', 'AAE', 'AAEC', 'AA==', 'AAE=', '_-8', '+/8=', authKey])(
  'parseSimulatorOptions accepts the auth key %s',
  (key) => {
    expect(parseSimulatorOptions({ authKey: key }).authKey).toBe(key)
  },
)

test.each(['', 'A', 'AAECA', 'A===', 'AA=', 'AAE==', '=', 'AA EC', 'AAEC\n', '$ecret'])(
  'parseSimulatorOptions rejects the auth key "%s" without repeating it in the message',
  (key) => {
    expect(rejection({ authKey: key })).toBe(
      'authKey: expected a base64 string of at least one byte; omit it for a random key',
    )
  },
)

test.each(['svc', 'Acme2', 'a-b', 'a_b'])('parseSimulatorOptions accepts the service name %s', (service) => {
  expect(parseSimulatorOptions({ service }).service).toBe(service)
})

test('parseSimulatorOptions rejects an invalid or unknown option by name', () => {
  expect([
    rejection({ httpPort: -1 }),
    rejection({ wsPort: 65_536 }),
    rejection({ httpPort: '3000' }),
    rejection({ tick: 0 }),
    rejection({ tick: NaN }),
    rejection({ tick: 20n }),
    rejection({ seed: 0.5 }),
    rejection({ repeat: Infinity }),
    rejection({ tokens: '0xab' }),
    rejection({ tokens: ['ab'] }),
    rejection({ market: 'walk' }),
    rejection({ market: {} }),
    rejection({ market: [recordedMarket(), {}] }),
    rejection({ market: recordedMarket(), seed: 1 }),
    rejection({ market: [recordedMarket(), recordedMarket()] }),
    rejection({ service: 'svc-' }),
    rejection({ service: '' }),
    rejection({ faults: true }),
    rejection({ signal: {} }),
    rejection({ port: 3000 }),
    rejection({ toString: 1 }),
  ]).toMatchInlineSnapshot(`
    [
      "httpPort: expected a port from 0 to 65535, got -1",
      "wsPort: expected a port from 0 to 65535, got 65536",
      "httpPort: expected a port from 0 to 65535, got "3000"",
      "tick: expected a whole number of ms from 1 to 2147483647, got 0",
      "tick: expected a whole number of ms from 1 to 2147483647, got NaN",
      "tick: expected a whole number of ms from 1 to 2147483647, got 20n",
      "seed: expected a whole number from -9007199254740991 to 9007199254740991, got 0.5",
      "repeat: expected a whole number of ms from 1 to 2147483647, got Infinity",
      "tokens: expected an array of addresses or of { address, symbol, decimals, price }, got "0xab"",
      "address: expected a token address, \`0x\` and hex digits, got "ab"",
      "market: expected a market or an array of markets, such as recordedMarket(), got "walk"",
      "market: expected a market or an array of markets, such as recordedMarket(), got a value of type object",
      "market: expected a market or an array of markets, such as recordedMarket(), got an array",
      "market: tokens, seed and tick have no effect with a custom market; pass them to the market, as in market: randomWalk({ tokens, seed, tick })",
      "market: 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 is in two markets; remove it from one",
      "service: expected letters and digits, with single hyphens or underscores between them, got "svc-"",
      "service: expected letters and digits, with single hyphens or underscores between them, got """,
      "faults: expected an object of faults, got true",
      "signal: expected an AbortSignal, got a value of type object",
      "port: unknown option; expected one of httpPort, wsPort, market, tokens, seed, tick, repeat, authKey, service, cors, faults, signal",
      "toString: unknown option; expected one of httpPort, wsPort, market, tokens, seed, tick, repeat, authKey, service, cors, faults, signal",
    ]
  `)
})
