import type { Command } from 'commander'
import { isDown } from '../../../base/domain/snapshot.js'
import {
  healthOf,
  startStateServer,
  type HealthState,
  type StateServer,
} from '../../../gateway/http/health.js'
import type { NatsGateway, NatsGatewayOptions, NatsGatewaySnapshot } from '../../../nats/index.js'
import type { ListenAddress } from '../../../gateway/server/listen.js'
import { loadNats, natsUrl, serverList, withSource } from '../../target/open-source.js'
import { failAsFlag } from '../../target/source.js'
import { summaryText, type Io } from '../../io.js'
import { usageError } from '../../target/parse-flags.js'
import { failToListen, serveUntilStopped, tokenVariables } from './serve.js'

interface NatsSetup {
  /** The limits that the user has set. */
  readonly options: Pick<NatsGatewayOptions, 'maxConnections' | 'maxTopicsPerConnection' | 'depthEvery'>
  /** Address of the health of the gateway. */
  readonly address: ListenAddress
  readonly metricsLines: readonly string[]
}

/** Also serves the health of the gateway over HTTP if there is a `--port`. `servers`: addresses, separated by commas. */
export const serveNats = (
  io: Io,
  command: Command,
  servers: string,
  { options, address, metricsLines }: NatsSetup,
): Promise<void> =>
  withSource(
    command,
    'both',
    async (source) => {
      const { client, service, ownTokens, depthClient } = source
      const { startNatsGateway } = await loadNats()
      const all = { servers: serverList(servers), service, ...options }
      await using gateway = await startNatsGateway(client, all).catch(failAsFlag('nats'))
      await using health = await startHealth(command, gateway, address)
      const tokens = ownTokens.map((token) => token.address).join(' ') || '<token>'
      const url = natsUrl(servers)
      const summary = summaryText(
        `A gateway to ${source.description} is running on NATS.`,
        [['SVC_NATS', url], ...tokenVariables(source)],
        [
          `To watch through it: npx svc-streams watch --nats ${url} ${tokens}`,
          `It serves live prices${depthClient !== undefined ? ', prices and depth on request' : ' and prices on request'}. Start a second one for failover.`,
          ...(health === undefined ? [] : [`Its own state is at ${health.baseUrl}/health.`]),
          ...metricsLines,
          ...(gateway.inspect().isConnected ? [] : ['NATS is not reachable yet. The gateway keeps trying.']),
        ],
      )
      await serveUntilStopped(io, source, summary)
    },
    // Here --nats is where the command serves, not its source.
    { servers: ['gateway'] },
  )

const startHealth = async (
  command: Command,
  gateway: NatsGateway,
  address: ListenAddress,
): Promise<StateServer | undefined> => {
  const hasFlag = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (hasFlag('port')) {
    const health = () => healthOfNats(gateway.inspect())
    return startStateServer(address, (path) => healthOf(path, health)).catch(failToListen)
  }
  return hasFlag('host')
    ? usageError('--host: with --nats, give --port too, to serve the health of the gateway')
    : undefined
}

const healthOfNats = (snapshot: NatsGatewaySnapshot): HealthState => {
  const { upstream, ageBounded, isConnected, failure, sessions, topics } = snapshot
  const refusal = isDown(upstream) ? 'service-down' : failure === undefined ? undefined : 'no-permission'
  return {
    isUp: refusal === undefined,
    refusal: refusal ?? (isConnected ? undefined : 'nats-lost'),
    upstream,
    ageBounded,
    counts: { sessions, topics: topics.length },
  }
}
