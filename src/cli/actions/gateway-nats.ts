import type { Command } from 'commander'
import { isDown } from '../../domain/status.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { startHealthServer, type HealthServer, type HealthState } from '../../gateway/http/health.js'
import type { NatsGateway, NatsGatewaySnapshot } from '../../nats/index.js'
import type { ListenAddress } from '../../server/listen.js'
import {
  loadNats,
  missingPackage,
  natsHost,
  serverList,
  withSource,
  type OpenSource,
} from '../input/open-source.js'
import { flagErrorText, resolveSource } from '../input/source.js'
import type { Io } from '../io.js'
import { usageError } from '../run.js'
import { listenFailure, serveUntilStopped, tokenLines } from './serve.js'

/**
 * Serves the selected source on NATS until the user stops the command, and the health of the gateway over HTTP if there is a
 * `--port`. `servers`: addresses, separated by commas.
 */
export const serveNats = (
  io: Io,
  command: Command,
  servers: string,
  address: ListenAddress,
): Promise<void> => {
  const serve = async (source: OpenSource): Promise<void> => {
    await using gateway = await start(command, source, servers)
    await using health = await startHealth(command, gateway, address)
    const { isConnected } = gateway.inspect()
    await serveUntilStopped(io, source, summary(source, natsHost(servers), isConnected, health))
  }
  // Here --nats is where the command serves, not its source.
  return withSource(command, 'both', serve, resolveSource(command, ['gateway']))
}

const startHealth = async (
  command: Command,
  gateway: NatsGateway,
  address: ListenAddress,
): Promise<HealthServer | undefined> => {
  const hasFlag = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (hasFlag('port')) {
    return startHealthServer(address, () => healthOfNats(gateway.inspect())).catch((error: unknown) => {
      throw listenFailure(error)
    })
  }
  return hasFlag('host')
    ? usageError(command, '--host: with --nats, give --port too, to serve the health of the gateway')
    : undefined
}

const healthOfNats = ({ upstream, isConnected, sessions, topics }: NatsGatewaySnapshot): HealthState => {
  const isUp = !isDown(upstream)
  return {
    isUp,
    refusal: isUp ? (isConnected ? undefined : 'nats-lost') : 'service-down',
    upstream,
    counts: { sessions, topics: topics.length },
  }
}

const start = async (
  command: Command,
  { client, service }: OpenSource,
  servers: string,
): Promise<NatsGateway> => {
  const nats = await loadNats()
  if (nats === undefined) return usageError(command, missingPackage)
  return nats.startNatsGateway(client, { servers: serverList(servers), service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, flagErrorText(error, 'Nats'))
    throw error
  })
}

const summary = (
  source: OpenSource,
  host: string,
  isConnected: boolean,
  health: HealthServer | undefined,
): string => {
  const lines = [
    `# A gateway to ${source.description} is running on NATS. Paste these lines into another terminal, and start your program there.`,
    `export SVC_NATS=nats://${host}`,
    ...tokenLines(source),
    `# To watch through it: svc-streams watch --nats nats://${host}${source.ownTokens.length === 0 ? ' <token>' : ''}`,
    `# It serves live prices${source.depthClient !== undefined ? ', prices and depth on request' : ' and prices on request'}. Start a second one for failover.`,
    ...(health === undefined ? [] : [`# Its own state is at ${health.baseUrl}/health.`]),
    ...(isConnected ? [] : ['# NATS is not reachable yet. The gateway keeps trying.']),
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}
