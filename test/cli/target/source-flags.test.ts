import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { addFlags } from '../../../src/cli/target/parse-flags.js'
import { deploymentFlags, environment, serviceFlags } from '../../../src/cli/target/source-flags.js'

afterEach(() => void vi.unstubAllEnvs())

const parse = (args: readonly string[], variables: Readonly<Record<string, string>> = {}): Command => {
  for (const option of Object.values(deploymentFlags)) {
    const { envVar = '' } = option
    vi.stubEnv(envVar, variables[envVar])
  }
  vi.stubEnv('SVC_ENVIRONMENT', variables['SVC_ENVIRONMENT'])
  return addFlags(new Command('tool'), serviceFlags).parse(args, { from: 'user' })
}

const variables = {
  SVC_BASE_URL: 'https://a.example',
  SVC_PRICE_BASE_URL: 'https://b.example',
  SVC_PRICE_WS_URL: 'wss://c.example',
  SVC_AUTH_KEY: 'AAAA',
  SVC_ENVIRONMENT: 'testnet',
}

test('reads the environment variables that simulate prints', () => {
  expect(parse([]).opts()).toEqual({ environment: 'mainnet' })
  expect(parse([], variables).opts()).toEqual({
    baseUrl: 'https://a.example',
    priceBaseUrl: 'https://b.example',
    priceWsUrl: 'wss://c.example',
    authKey: 'AAAA',
    environment: 'testnet',
  })
})

test('prefers a flag to its variable', () => {
  const command = parse(['--base-url', 'https://d.example', '--environment', 'mainnet'], variables)
  expect(command.opts()).toMatchObject({
    baseUrl: 'https://d.example',
    environment: 'mainnet',
    authKey: 'AAAA',
  })
})

test('prints no value of a variable in the help', () => {
  const help = parse([], { ...variables, SVC_AUTH_KEY: 'c2VjcmV0' }).helpInformation()
  expect(help).toContain('SVC_AUTH_KEY')
  expect(help).not.toMatch(/c2VjcmV0|example/)
})

test('accepts an environment; an empty variable counts as not set', () => {
  expect(['mainnet', 'testnet', ''].map(environment)).toEqual(['mainnet', 'testnet', 'mainnet'])
  expect(() => environment('moon')).toThrow('Give mainnet or testnet.')
})
