import '../support/clock-jumps.js'
import { createClient, type DepthClientOptions } from 'svc-streams'
import { startNatsGateway, type NatsGatewayOptions } from 'svc-streams/nats'
import { serveCommands } from '../support/serve-commands.js'

// A gateway. Its arguments: the options of its client, and its own, as JSON.

const [service = '{}', options = '{}'] = process.argv.slice(2)

const client = createClient({
  environment: 'mainnet',
  ...(JSON.parse(service) as Omit<DepthClientOptions, 'environment'>),
})
const gateway = await startNatsGateway(client, JSON.parse(options) as NatsGatewayOptions)

const close = async (): Promise<void> => {
  await gateway.close()
  await client.close()
}
serveCommands({ inspect: gateway.inspect, close }, () => undefined)
