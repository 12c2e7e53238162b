import { InvalidArgumentError } from 'commander'
import type { Environment } from '../../base/domain/environment.js'
import { clientTable } from '../../client/options.js'
import { numberOption } from '../../base/option-kinds/number-option.js'
import { Flag, numberFlag, parsedFlag, parseNumber, textFlag, toggle, type Values } from './parse-flags.js'

const withDefaultOf = (flags: string, variable: string, help: string) => textFlag(flags, help).env(variable)

export const deploymentFlags = {
  baseUrl: withDefaultOf(
    '--base-url <url>',
    'SVC_BASE_URL',
    'address of the relayer API, for depth: https://host:port',
  ),
  authKey: withDefaultOf(
    '--auth-key <base64>',
    'SVC_AUTH_KEY',
    'key that signs depth requests; other users of this machine can read flags: prefer the variable',
  ),
  priceBaseUrl: withDefaultOf(
    '--price-base-url <url>',
    'SVC_PRICE_BASE_URL',
    'HTTP address of the price reporter: https://host:port',
  ),
  priceWsUrl: withDefaultOf(
    '--price-ws-url <url>',
    'SVC_PRICE_WS_URL',
    'WebSocket addresses of the price reporter, separated by commas (default: port 4000 of --price-base-url)',
  ),
  gateway: withDefaultOf(
    '--gateway <url>',
    'SVC_GATEWAY',
    'gateways, separated by commas, for prices and depth, instead of the addresses of the service',
  ),
  nats: withDefaultOf(
    '--nats <url>',
    'SVC_NATS',
    'NATS servers of a gateway, separated by commas, instead of the addresses of the service',
  ),
}

export type DeploymentFlagName = keyof typeof deploymentFlags

/** The flags that select another server than the service itself. */
export type ServerFlagName = 'gateway' | 'nats'

/** A flag with its variable, for texts: `--nats (SVC_NATS)`. */
export const withVariable = (name: DeploymentFlagName): string => {
  const { long, envVar } = deploymentFlags[name]
  return `${long} (${envVar})`
}

/** An empty environment variable counts as not set. */
export const environment = (text: string): Environment => {
  if (text === '') return 'mainnet'
  if (text === 'mainnet' || text === 'testnet') return text
  throw new InvalidArgumentError('Give mainnet or testnet.')
}

const environmentFlag = new Flag<Environment>(
  '--environment <name>',
  'mainnet, or testnet, which has no depth',
)
  .env('SVC_ENVIRONMENT')
  .choices(['mainnet', 'testnet'])
  .argParser(environment)
  .default('mainnet')

export const serviceFlags = {
  ...deploymentFlags,
  lines: parsedFlag(
    '--lines <number>',
    'connections that carry each topic at once, from 1 to 4 (default: 2 with several addresses, otherwise 1)',
    parseNumber(clientTable.lines),
  ),
  environment: environmentFlag,
  allowInsecure: toggle('--allow-insecure', 'allow http: and ws: to other machines even if a key is set'),
  simulate: toggle('--simulate', 'use a simulator in this process, which plays a recorded market'),
}

/** The flag of a simulator that shows faults, and the recovery from them. */
export const demoFlag = toggle(
  '--demo',
  '--simulate with more tokens and with faults: lost connections, failed depth requests, a service that hangs',
).implies({ simulate: true })

export const sourceFlags = {
  ...serviceFlags,
  recording: parsedFlag<readonly string[]>(
    '--recording <file>',
    'play a recording instead, plain or gzip; repeat the flag for further files',
    (path, previous = []) => [...previous, path],
  ),
  speed: numberFlag(
    '--speed <factor>',
    'playback speed of --recording as a factor',
    numberOption({ above: 0, default: 1 }),
  ),
}

/** The flag of an option: `--base-url` for `baseUrl`. */
export const flagName = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The values of all flags that select a source. A command may have a part of them. */
export type SourceValues = Partial<Values<typeof sourceFlags & { readonly demo: typeof demoFlag }>>
