import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { startGateway, type Gateway, type GatewayOptions } from '../../gateway/index.js'
import { usageError } from '../input/deployment.js'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import { flagName } from '../input/flag-error.js'
import {
  gatewayErrorText,
  gatewayServerOptions,
  type GatewayServerFlags,
} from '../input/gateway-server-options.js'
import { withSource, type Source } from '../input/source.js'
import type { SourceFlags } from '../input/source-flags.js'
import { listenFailure } from '../outcome/listen-failure.js'
import { gatewaySummary } from '../output/gateway-summary.js'
import { serveNats } from './serve-nats.js'
import { serveUntilStopped } from './serve-until-stopped.js'

/** The flags for consumers over HTTP, which a gateway on NATS does not have. */
const httpNames = ['keys', 'openDepth', 'tlsKey', 'tlsCert', 'origin']

/** The flags, as commander names and parses them. */
export interface GatewayFlags extends SourceFlags, GatewayServerFlags {}

/** Serves the selected source over HTTP, or on NATS, until the user stops the command. */
export const serveGateway = async (command: Command, flags: GatewayFlags): Promise<void> => {
  if (flags.nats !== undefined && flags.nats !== '') {
    const conflict = httpNames.find((name) => command.getOptionValueSource(name) === 'cli')
    if (conflict === undefined) return serveNats(command, flags.nats, flags)
    const nats = withVariable(deploymentFlags.nats)
    return usageError(command, `${flagName(conflict)}: cannot be combined with ${nats}; remove one of them`)
  }
  const options = gatewayServerOptions(flags)
  if (isLeft(options)) return usageError(command, options.left)
  await withSource(command, async (source) => {
    await using gateway = await start(command, source, options.right)
    await serveUntilStopped(source, summary(gateway, source, options.right))
  })
}

const start = (command: Command, { client, service }: Source, options: GatewayOptions): Promise<Gateway> =>
  startGateway(client, { ...options, service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, gatewayErrorText(error))
    throw listenFailure(error)
  })

const summary = ({ baseUrl }: Gateway, source: Source, { host, keys }: GatewayOptions): string =>
  gatewaySummary({
    baseUrl,
    source,
    keyNames: keys === undefined ? undefined : Object.keys(keys),
    isShared: host === '0.0.0.0' || host === '::',
  })
