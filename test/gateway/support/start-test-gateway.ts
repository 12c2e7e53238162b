import type { PriceClient } from 'svc-streams'
import { startGateway, type Gateway, type GatewayOptions } from 'svc-streams/gateway'
import { runGateway, type GatewayInternals } from '../../../src/gateway/run-gateway.js'
import { closeAfterTest } from '../../support/close-after-test.js'

/** Starts a gateway, which is closed after the test. */
export const startTestGateway = async (
  client: PriceClient,
  options: GatewayOptions = {},
  internals?: GatewayInternals,
): Promise<Gateway> =>
  closeAfterTest(
    internals === undefined
      ? await startGateway(client, options)
      : (await runGateway(client, options, internals)).gateway,
  )
