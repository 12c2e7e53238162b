import type { Command } from 'commander'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { deploymentFlags, type DeploymentFlagName, type DeploymentFlags } from './deployment-flags.js'
import type { SourceFlags } from './source-flags.js'

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

/** The message for flags of two sources on the command line. */
export const sourceConflict = (command: Command): string | undefined => {
  const { recording, simulate, demo } = command.opts<Partial<SourceFlags>>()
  const simulator = simulate === undefined ? undefined : demo === undefined ? '--simulate' : '--demo'
  const gateway = givenFlag(command, ['gateway'])
  const address = givenFlag(command, addressNames)
  const service = address ?? givenFlag(command, ['authKey'])
  if (recording !== undefined) return conflictText('--recording', simulator ?? gateway ?? service)
  if (simulator !== undefined) return conflictText(simulator, service ?? gateway)
  return gateway === undefined ? undefined : conflictText(gateway, address)
}

const conflictText = (source: string, other: string | undefined): string | undefined =>
  other === undefined ? undefined : `${other}: cannot be combined with ${source}; remove one of them`

/** The first of these flags on the command line. */
const givenFlag = (command: Command, names: readonly DeploymentFlagName[]): string | undefined => {
  const given = names.find((name) => command.getOptionValueSource(name) === 'cli')
  return given && deploymentFlags[given].flag
}
