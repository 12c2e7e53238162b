import { createClient } from 'svc-streams'
import {
  natsClient,
  startNatsGateway,
  type NatsDepthClientOptions,
  type NatsGateway,
  type NatsGatewayOptions,
} from 'svc-streams/nats'
import { startSimulator, type Simulator } from 'svc-streams/simulator'
import { closeAfterTest } from '../../support/close-after-test.js'
import { fastMarket } from '../../support/simulator.js'

export interface GatewayInProcess {
  readonly gateway: NatsGateway
  readonly service: Simulator
}

/** Starts a gateway of a simulator in this process. Both are closed after the test. */
export const startGatewayInProcess = async (options: NatsGatewayOptions): Promise<GatewayInProcess> => {
  const service = closeAfterTest(await startSimulator(fastMarket))
  const client = closeAfterTest(createClient({ environment: 'mainnet', ...service }))
  return { gateway: closeAfterTest(await startNatsGateway(client, options)), service }
}

/** Creates a client over NATS, which is closed after the test. */
export const createNatsClient = (options: Omit<NatsDepthClientOptions, 'environment'>) =>
  closeAfterTest(natsClient({ environment: 'mainnet', ...options }))
