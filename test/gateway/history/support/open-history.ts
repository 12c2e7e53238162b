import type { Topic } from 'svc-streams'
import { onTestFinished } from 'vitest'
import {
  openGatewayHistory,
  type GatewayHistory,
  type GatewayHistoryConfig,
} from '../../../../src/gateway/history/gateway-history.js'
import { ethTopic } from '../../../support/tokens.js'

interface TestHistory extends Pick<GatewayHistoryConfig, 'client' | 'clock'> {
  readonly keep?: number
  readonly maxBytes?: number
  readonly topics?: readonly Topic[]
}

/** The history of a gateway without the gateway. Default: it records `ethTopic` without a limit. */
export const openTestHistory = async (
  folder: string,
  { client, clock, keep = Infinity, maxBytes = Infinity, topics = [ethTopic] }: TestHistory,
): Promise<GatewayHistory> => {
  const limits = { folder, keep, maxBytes, topics }
  const config = { client, clock, report: () => undefined, service: 'svc' }
  const history = await openGatewayHistory({ ...limits, ...config })
  onTestFinished(() => history.recorder.close())
  return history
}
