import { InvalidArgumentError, Option } from 'commander'
import { isEnvironment, type Environment } from '../../base/domain/environment.js'
import { clientTable } from '../../client/options.js'
import { numberOption } from '../../base/option-kinds/number-option.js'
import { numberFlag, parsedFlag, parseNumber, toggle, type Flag, type Values } from './parse-flags.js'

/** The flag and the environment variable of an address or a key. */
export interface DeploymentFlag {
  readonly flag: string
  readonly variable: string
  readonly argument: string
  readonly help: string
  /** The description in the error message when the value is missing. */
  readonly meaning: string
}

export type DeploymentFlagName = 'baseUrl' | 'authKey' | 'priceBaseUrl' | 'priceWsUrl' | ServerFlagName

/** The flags that select another server than the service itself. */
export type ServerFlagName = 'gateway' | 'nats'

export const deploymentFlags: Readonly<Record<DeploymentFlagName, DeploymentFlag>> = {
  baseUrl: {
    flag: '--base-url',
    variable: 'SVC_BASE_URL',
    argument: '<url>',
    help: 'address of the relayer API, for depth',
    meaning: 'address of the relayer API, such as https://relayer.example:3000',
  },
  authKey: {
    flag: '--auth-key',
    variable: 'SVC_AUTH_KEY',
    argument: '<base64>',
    help: 'key that signs depth requests; other users of this machine can read flags: prefer the variable',
    meaning: 'key that signs depth requests, in base64',
  },
  priceBaseUrl: {
    flag: '--price-base-url',
    variable: 'SVC_PRICE_BASE_URL',
    argument: '<url>',
    help: 'HTTP address of the price reporter',
    meaning: 'HTTP address of the price reporter, such as https://prices.example:3000',
  },
  priceWsUrl: {
    flag: '--price-ws-url',
    variable: 'SVC_PRICE_WS_URL',
    argument: '<url>',
    help: 'WebSocket addresses of the price reporter, separated by commas (default: port 4000 of --price-base-url)',
    meaning: 'WebSocket address of the price reporter, such as wss://prices.example:4000',
  },
  gateway: {
    flag: '--gateway',
    variable: 'SVC_GATEWAY',
    argument: '<url>',
    help: 'gateways, separated by commas, for prices and depth, instead of the addresses of the service',
    meaning: 'address of a gateway, such as http://127.0.0.1:8080',
  },
  nats: {
    flag: '--nats',
    variable: 'SVC_NATS',
    argument: '<url>',
    help: 'NATS servers of a gateway, separated by commas, instead of the addresses of the service',
    meaning: 'NATS servers of a gateway, such as nats://127.0.0.1:4222',
  },
}

export const withVariable = ({ flag, variable }: DeploymentFlag): string => `${flag} (${variable})`

/** A flag with its environment variable. `help`: default that of the table. */
export const withEnvironment = (
  name: DeploymentFlagName,
  help = deploymentFlags[name].help,
): Flag<string | undefined> => {
  const { flag, argument, variable } = deploymentFlags[name]
  return { option: new Option(`${flag} ${argument}`, help).env(variable) }
}

/** An empty environment variable counts as not set. */
export const environment = (text: string): Environment => {
  if (text === '') return 'mainnet'
  if (isEnvironment(text)) return text
  throw new InvalidArgumentError('Give mainnet or testnet.')
}

const environmentFlag: Flag<Environment> = {
  option: new Option('--environment <name>', 'mainnet, or testnet, which has no depth')
    .env('SVC_ENVIRONMENT')
    .choices(['mainnet', 'testnet'])
    .argParser(environment)
    .default('mainnet'),
}

/** The flags that select the service. */
export const serviceFlags = {
  baseUrl: withEnvironment('baseUrl'),
  authKey: withEnvironment('authKey'),
  priceBaseUrl: withEnvironment('priceBaseUrl'),
  priceWsUrl: withEnvironment('priceWsUrl'),
  gateway: withEnvironment('gateway'),
  nats: withEnvironment('nats'),
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
export const demoFlag: Flag<boolean | undefined> = {
  option: new Option(
    '--demo',
    '--simulate with more tokens, dropped connections and a rejected token',
  ).implies({
    simulate: true,
  }),
}

/** The flags that select the service, or a recording. */
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
