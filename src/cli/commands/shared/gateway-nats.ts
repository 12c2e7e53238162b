import type { Command } from 'commander'
import { isDown } from '../../../base/domain/status.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import {
  healthOf,
  startStateServer,
  type HealthState,
  type StateServer,
} from '../../../gateway/http/health.js'
import type { NatsGateway, NatsGatewayOptions, NatsGatewaySnapshot } from '../../../nats/index.js'
import type { ListenAddress } from '../../../gateway/server/listen.js'
import { loadNats, natsUrl, serverList, withSource, type OpenSource } from '../../target/open-source.js'
import { flagErrorText } from '../../target/source.js'
import { setVariables, type Io } from '../../io.js'
import { usageError } from '../../target/parse-flags.js'
import { listenFailure, serveUntilStopped, tokenVariables } from './serve.js'

interface NatsSetup {
  /** The limits that the user has set. */
  readonly options: Pick<NatsGatewayOptions, 'maxConnections' | 'maxTopicsPerConnection' | 'depthEvery'>
  /** Address of the health of the gateway. */
  readonly address: ListenAddress
  readonly metricsLines: readonly string[]
}

/**
 * Serves the selected source on NATS until the user stops the command, and the health of the gateway over HTTP if there is a
 * `--port`. `servers`: addresses, separated by commas.
 */
export const serveNats = (
  io: Io,
  command: Command,
  servers: string,
  { options, address, metricsLines }: NatsSetup,
): Promise<void> => {
  const serve = async (source: OpenSource): Promise<void> => {
    await using gateway = await start(source, servers, options)
    await using health = await startHealth(command, gateway, address)
    const { isConnected } = gateway.inspect()
    const state = { isConnected, health, metricsLines }
    await serveUntilStopped(io, source, summary(source, natsUrl(servers), state))
  }
  // Here --nats is where the command serves, not its source.
  return withSource(command, 'both', serve, { servers: ['gateway'] })
}

const startHealth = async (
  command: Command,
  gateway: NatsGateway,
  address: ListenAddress,
): Promise<StateServer | undefined> => {
  const hasFlag = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (hasFlag('port')) {
    const health = () => healthOfNats(gateway.inspect())
    return startStateServer(address, (path) => healthOf(path, health)).catch((error: unknown) => {
      throw listenFailure(error)
    })
  }
  return hasFlag('host')
    ? usageError('--host: with --nats, give --port too, to serve the health of the gateway')
    : undefined
}

const healthOfNats = ({
  upstream,
  ageBounded,
  isConnected,
  failure,
  sessions,
  topics,
}: NatsGatewaySnapshot): HealthState => {
  const refusal = isDown(upstream) ? 'service-down' : failure === undefined ? undefined : 'no-permission'
  return {
    isUp: refusal === undefined,
    refusal: refusal ?? (isConnected ? undefined : 'nats-lost'),
    upstream,
    ageBounded,
    counts: { sessions, topics: topics.length },
  }
}

const start = async (
  { client, service }: OpenSource,
  servers: string,
  options: NatsSetup['options'],
): Promise<NatsGateway> => {
  const nats = await loadNats()
  const all = { servers: serverList(servers), service, ...options }
  return nats.startNatsGateway(client, all).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(flagErrorText(error, 'nats'))
    throw error
  })
}

interface State {
  readonly isConnected: boolean
  readonly health: StateServer | undefined
  readonly metricsLines: readonly string[]
}

const summary = (source: OpenSource, url: string, { isConnected, health, metricsLines }: State): string => {
  const tokens = source.ownTokens.map(({ address }) => address).join(' ') || '<token>'
  const lines = [
    `# A gateway to ${source.description} is running on NATS. Paste these lines into another terminal, and start your program there.`,
    ...setVariables([['SVC_NATS', url], ...tokenVariables(source)]),
    `# To watch through it: npx svc-streams watch --nats ${url} ${tokens}`,
    `# It serves live prices${source.depthClient !== undefined ? ', prices and depth on request' : ' and prices on request'}. Start a second one for failover.`,
    ...(health === undefined ? [] : [`# Its own state is at ${health.baseUrl}/health.`]),
    ...metricsLines,
    ...(isConnected ? [] : ['# NATS is not reachable yet. The gateway keeps trying.']),
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}
