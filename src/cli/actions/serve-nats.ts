import type { Command } from 'commander'
import { isDown } from '../../domain/status.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { startHealthServer, type HealthServer } from '../../gateway/http/health-server.js'
import type { HealthState } from '../../gateway/http/health.js'
import type { NatsGateway, NatsGatewaySnapshot } from '../../nats/index.js'
import type { ListenAddress } from '../../server/listen.js'
import { usageError } from '../input/deployment.js'
import { loadNats, missingPackage, natsErrorText, natsHost, serverList } from '../input/nats-clients.js'
import { withSource, type Source } from '../input/source.js'
import { listenFailure } from '../outcome/listen-failure.js'
import { natsGatewaySummary } from '../output/nats-gateway-summary.js'
import { serveUntilStopped } from './serve-until-stopped.js'

/**
 * Serves the selected source on NATS until the user stops the command, and the health of the gateway over HTTP if there is a
 * `--port`. `servers`: addresses, separated by commas.
 */
export const serveNats = (command: Command, servers: string, address: ListenAddress): Promise<void> => {
  // Here `--nats` is where the command serves, not its source.
  command.setOptionValueWithSource('nats', undefined, 'default')
  return withSource(command, async (source) => {
    await using gateway = await start(command, source, servers)
    await using health = await startHealth(command, gateway, address)
    const { isConnected } = gateway.inspect()
    const summary = natsGatewaySummary({
      host: natsHost(servers),
      source,
      isConnected,
      healthUrl: health?.baseUrl,
    })
    await serveUntilStopped(source, summary)
  })
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
  { client, service }: Source,
  servers: string,
): Promise<NatsGateway> => {
  const nats = await loadNats()
  if (nats === undefined) return usageError(command, missingPackage)
  return nats.startNatsGateway(client, { servers: serverList(servers), service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, natsErrorText(error))
    throw error
  })
}
