import type { Command } from 'commander'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type { NatsGateway } from '../../nats/index.js'
import { usageError } from '../input/deployment.js'
import { loadNats, missingPackage, natsErrorText, natsHost, serverList } from '../input/nats-clients.js'
import { withSource, type Source } from '../input/source.js'
import { natsGatewaySummary } from '../output/nats-gateway-summary.js'
import { serveUntilStopped } from './serve-until-stopped.js'

/** Serves the selected source on NATS until the user stops the command. `servers`: addresses, separated by commas. */
export const serveNats = (command: Command, servers: string): Promise<void> => {
  // Here `--nats` is where the command serves, not its source.
  command.setOptionValueWithSource('nats', undefined, 'default')
  return withSource(command, async (source) => {
    await using gateway = await start(command, source, servers)
    const { isConnected } = gateway.inspect()
    await serveUntilStopped(source, natsGatewaySummary({ host: natsHost(servers), source, isConnected }))
  })
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
