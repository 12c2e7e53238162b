import type { Command } from 'commander'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  deploymentFlags,
  type DeploymentFlagName,
  type DeploymentFlags,
  type ServerFlagName,
} from './deployment-flags.js'
import type { SourceFlags } from './source-flags.js'

// Selects one source of data. A flag on the command line precedes all environment variables, and excludes the flags of
// other sources. Environment variables exclude nothing: SVC_NATS precedes SVC_GATEWAY, and both
// precede the addresses of the service.

const addressNames = ['baseUrl', 'priceBaseUrl', 'priceWsUrl'] as const

/** In the order in which their variables precede each other. */
const serverNames = ['nats', 'gateway'] as const satisfies readonly ServerFlagName[]

/**
 * The flags of a command: with `nats` or `gateway` only if that is the selected source, which then precedes the addresses
 * of the service. Left: the message for flags of two sources on the command line.
 */
export const selectedFlags = (command: Command): Either<string, DeploymentFlags> => {
  const { nats, gateway, ...flags } = command.opts<DeploymentFlags>()
  const conflict = sourceConflict(command)
  if (conflict !== undefined) return left(conflict)
  const addresses = { nats, gateway }
  const isService = flags.simulate !== undefined || givenName(command, addressNames) !== undefined
  const name = isService
    ? undefined
    : (givenName(command, serverNames) ?? serverNames.find((each) => isSet(addresses[each])))
  return right(name === undefined || !isSet(addresses[name]) ? flags : { ...flags, [name]: addresses[name] })
}

/** An empty environment variable counts as not set. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/** The message for flags of two sources on the command line. */
export const sourceConflict = (command: Command): string | undefined => {
  const { recording, simulate, demo } = command.opts<Partial<SourceFlags>>()
  const simulator = simulate === undefined ? undefined : demo === undefined ? '--simulate' : '--demo'
  const [server, otherServer] = serverNames.map((name) => givenFlag(command, [name])).filter(isSet)
  const address = givenFlag(command, addressNames)
  const service = address ?? givenFlag(command, ['authKey'])
  if (recording !== undefined) return conflictText('--recording', simulator ?? server ?? service)
  if (simulator !== undefined) return conflictText(simulator, service ?? server)
  return server === undefined ? undefined : conflictText(server, otherServer ?? address)
}

const conflictText = (source: string, other: string | undefined): string | undefined =>
  other === undefined ? undefined : `${other}: cannot be combined with ${source}; remove one of them`

/** The first of these flags on the command line. */
const givenName = <N extends DeploymentFlagName>(command: Command, names: readonly N[]): N | undefined =>
  names.find((name) => command.getOptionValueSource(name) === 'cli')

const givenFlag = (command: Command, names: readonly DeploymentFlagName[]): string | undefined => {
  const given = givenName(command, names)
  return given && deploymentFlags[given].flag
}
