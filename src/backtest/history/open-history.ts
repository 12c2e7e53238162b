import type { History } from '../../client/history.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { recordedHistory } from '../recording/past/recorded-history.js'
import { openableSources, type RecordingPart, type SourcePlatform } from '../recording/read/source.js'
import { gatewayHistory, type Fetch } from './gateway-source.js'

/** The `openHistory` of a platform. */
export const openHistoryOn =
  (platform: SourcePlatform, fetch: Fetch) =>
  (source: readonly RecordingPart[] | string): History => {
    if (typeof source === 'string') return gatewayHistory(platform, fetch, source)
    if (!Array.isArray(source))
      throw new ConfigurationError('source', 'expected an array of recordings, or the URL of a gateway')
    return recordedHistory(openableSources(platform, source))
  }
