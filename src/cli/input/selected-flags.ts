import type { Command } from 'commander'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { deploymentFlags, type DeploymentFlagName, type DeploymentFlags } from './deployment-flags.js'

// Selects one source of data. A flag on the command line precedes all environment variables, and excludes the flags of
// other sources. Environment variables exclude nothing: SVC_GATEWAY precedes the addresses of the service.

const addressNames = ['baseUrl', 'priceBaseUrl', 'priceWsUrl'] as const

/**
 * The flags of a command: with `gateway` only if the gateway is the selected source, which then precedes the addresses of
 * the service. Left: the message for flags of two sources on the command line.
 */
export const selectedFlags = (command: Command): Either<string, DeploymentFlags> => {
  const flags = command.opts<DeploymentFlags>()
  const { gateway, ...withoutGateway } = flags
  const conflict = sourceConflict(command)
  if (conflict !== undefined) return left(conflict)
  const isGateway =
    gateway !== undefined &&
    gateway !== '' &&
    flags.simulate === undefined &&
    givenFlag(command, addressNames) === undefined
  return right(isGateway ? flags : withoutGateway)
}

const sourceConflict = (command: Command): string | undefined => {
  const { simulate, demo } = command.opts<DeploymentFlags>()
  const source = simulate === undefined ? '--gateway' : demo === undefined ? '--simulate' : '--demo'
  const excluded: readonly DeploymentFlagName[] =
    simulate === undefined ? addressNames : [...addressNames, 'authKey', 'gateway']
  if (simulate === undefined && givenFlag(command, ['gateway']) === undefined) return undefined
  const other = givenFlag(command, excluded)
  return other && `${deploymentFlags[other].flag}: cannot be combined with ${source}; remove one of them`
}

/** The first of these flags on the command line. */
const givenFlag = (command: Command, names: readonly DeploymentFlagName[]): DeploymentFlagName | undefined =>
  names.find((name) => command.getOptionValueSource(name) === 'cli')
