import { Option, type Command } from 'commander'
import type { Environment } from '../../domain/environment.js'
import { environment } from './arguments.js'

/** The flags that say where the service is, as commander names and parses them. */
export interface DeploymentFlags extends Partial<Readonly<Record<DeploymentFlagName, string>>> {
  readonly environment: Environment
  readonly allowInsecure?: true
  readonly simulate?: true
}

/** An address or a key of a deployment: the flag and the variable that it is given by. */
export interface DeploymentFlag {
  readonly flag: string
  readonly variable: string
  readonly value: string
  readonly help: string
  /** What one has to look for where it is missing. */
  readonly meaning: string
}

export type DeploymentFlagName = 'baseUrl' | 'authKey' | 'priceBaseUrl' | 'priceWsUrl'

export const deploymentFlags: Readonly<Record<DeploymentFlagName, DeploymentFlag>> = {
  baseUrl: {
    flag: '--base-url',
    variable: 'SVC_BASE_URL',
    value: '<url>',
    help: 'the relayer API, where depth comes from',
    meaning: "the relayer API's address, such as https://relayer.example:3000",
  },
  authKey: {
    flag: '--auth-key',
    variable: 'SVC_AUTH_KEY',
    value: '<base64>',
    help: 'the key that depth requests are signed with; others on this machine can read flags, so better set the variable',
    meaning: 'the key that depth requests are signed with, in base64',
  },
  priceBaseUrl: {
    flag: '--price-base-url',
    variable: 'SVC_PRICE_BASE_URL',
    value: '<url>',
    help: 'the price reporter, where prices come from',
    meaning: "the price reporter's address, such as https://prices.example:3000",
  },
  priceWsUrl: {
    flag: '--price-ws-url',
    variable: 'SVC_PRICE_WS_URL',
    value: '<url>',
    help: 'where live prices come from (default: the price reporter on port 4000)',
    meaning: 'the address of live prices, such as wss://prices.example:4000',
  },
}

/** Gives a command the flags that say where the service is. */
export const addDeploymentFlags = (command: Command): Command => {
  for (const { flag, value, variable, help } of Object.values(deploymentFlags)) {
    command.addOption(new Option(`${flag} ${value}`, help).env(variable))
  }
  return command
    .addOption(
      new Option('--environment <name>', 'mainnet, or testnet, which has no depth')
        .env('SVC_ENVIRONMENT')
        .argParser(environment)
        .default('mainnet'),
    )
    .option('--allow-insecure', 'allow http: and ws: to other machines although there is a key')
    .option('--simulate', 'ask a simulator in this process instead, which plays a recorded market')
}

/** What was said against each other on the command line. A variable that is set contradicts nothing. */
export const contradiction = (command: Command): string | undefined => {
  const names = Object.keys(deploymentFlags) as DeploymentFlagName[]
  const asked = names.find((name) => command.getOptionValueSource(name) === 'cli')
  if (asked === undefined || command.opts<DeploymentFlags>().simulate === undefined) return undefined
  return `${deploymentFlags[asked].flag}: is for a deployment; leave it out, or leave out --simulate`
}
