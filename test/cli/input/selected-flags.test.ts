import { Command } from 'commander'
import { left, right } from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { addDeploymentFlags, demoFlag, deploymentFlags } from '../../../src/cli/input/deployment-flags.js'
import { selectedFlags } from '../../../src/cli/input/selected-flags.js'

afterEach(() => void vi.unstubAllEnvs())

const select = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
  for (const { variable } of Object.values(deploymentFlags)) vi.stubEnv(variable, variables[variable])
  vi.stubEnv('SVC_ENVIRONMENT', undefined)
  return selectedFlags(
    addDeploymentFlags(new Command('tool')).addOption(demoFlag()).parse(args, { from: 'user' }),
  )
}

const service = {
  SVC_BASE_URL: 'https://a.example',
  SVC_PRICE_BASE_URL: 'https://b.example',
  SVC_PRICE_WS_URL: 'wss://c.example',
  SVC_AUTH_KEY: 'AAAA',
}
const gateway = { SVC_GATEWAY: 'https://g.example' }
const serviceFlags = {
  environment: 'mainnet',
  baseUrl: 'https://a.example',
  priceBaseUrl: 'https://b.example',
  priceWsUrl: 'wss://c.example',
  authKey: 'AAAA',
}
const gatewayFlags = { environment: 'mainnet', gateway: 'https://g.example' }

describe('environment variables', () => {
  test('select the service, or the gateway if there is one', () => {
    expect(select([], service)).toEqual(right(serviceFlags))
    expect(select([], gateway)).toEqual(right(gatewayFlags))
    expect(select([], { ...service, ...gateway })).toEqual(right({ ...serviceFlags, ...gatewayFlags }))
    expect(select([], { ...service, SVC_GATEWAY: '' })).toEqual(right(serviceFlags))
  })

  test('exclude no flag', () => {
    const all = { ...service, ...gateway }
    expect(select(['--gateway', 'http://h.example'], all)).toEqual(
      right({ ...serviceFlags, gateway: 'http://h.example' }),
    )
    expect(select(['--base-url', 'https://d.example'], all)).toEqual(
      right({ ...serviceFlags, baseUrl: 'https://d.example' }),
    )
    expect(select(['--simulate'], all)).toEqual(right({ ...serviceFlags, simulate: true }))
    expect(select(['--auth-key', 'BBBB'], all)).toEqual(
      right({ ...serviceFlags, ...gatewayFlags, authKey: 'BBBB' }),
    )
  })
})

describe('NATS', () => {
  const nats = { SVC_NATS: 'nats://n.example' }
  const natsFlags = { environment: 'mainnet', nats: 'nats://n.example' }

  test('precedes the gateway and the service, by its variable', () => {
    expect(select([], nats)).toEqual(right(natsFlags))
    expect(select([], { ...service, ...gateway, ...nats })).toEqual(right({ ...serviceFlags, ...natsFlags }))
    expect(select([], { ...gateway, SVC_NATS: '' })).toEqual(right(gatewayFlags))
  })

  test('yields to flags of another source, and precedes all variables as a flag', () => {
    const all = { ...service, ...gateway, ...nats }
    expect(select(['--gateway', 'http://h.example'], all)).toEqual(
      right({ ...serviceFlags, gateway: 'http://h.example' }),
    )
    expect(select(['--base-url', 'https://d.example'], all)).toEqual(
      right({ ...serviceFlags, baseUrl: 'https://d.example' }),
    )
    expect(select(['--simulate'], all)).toEqual(right({ ...serviceFlags, simulate: true }))
    expect(select(['--nats', 'nats://m.example'], all)).toEqual(
      right({ ...serviceFlags, nats: 'nats://m.example' }),
    )
  })
})

describe('flags of two sources', () => {
  test.each([
    ['--price-ws-url', ['--simulate', '--price-ws-url', 'wss://d.example'], '--simulate'],
    ['--auth-key', ['--simulate', '--auth-key', 'AAAA'], '--simulate'],
    ['--gateway', ['--simulate', '--gateway', 'http://h.example'], '--simulate'],
    ['--nats', ['--simulate', '--nats', 'nats://h.example'], '--simulate'],
    ['--gateway', ['--nats', 'nats://h.example', '--gateway', 'http://h.example'], '--nats'],
    ['--base-url', ['--nats', 'nats://h.example', '--base-url', 'https://d.example'], '--nats'],
    ['--gateway', ['--demo', '--gateway', 'http://h.example'], '--demo'],
    ['--base-url', ['--gateway', 'http://h.example', '--base-url', 'https://d.example'], '--gateway'],
  ])('%s conflicts in %j', (other, args, source) => {
    expect(select(args)).toEqual(left(`${other}: cannot be combined with ${source}; remove one of them`))
  })

  test('--gateway and --auth-key do not conflict', () => {
    expect(select(['--gateway', 'http://h.example', '--auth-key', 'AAAA'])).toEqual(
      right({ environment: 'mainnet', gateway: 'http://h.example', authKey: 'AAAA' }),
    )
  })
})
