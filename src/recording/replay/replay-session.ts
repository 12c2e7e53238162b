import { clientFromStreams } from '../../client/client-from-streams.js'
import type { Environment } from '../../domain/environment.js'
import type { Playback } from './playback.js'
import { replayHistory, type StrategyClient } from './replay-history.js'

/** One replay of the sources, and a client over it. */
export interface ReplaySession {
  readonly playback: Playback
  readonly client: StrategyClient
}

/** `onClose`: called once, when the client is closed. Default: stops the replay. Must call `completeStreams`. */
export const createSession = (
  playback: Playback,
  environment: Environment,
  onClose = (completeStreams: () => void): void => playback.close(completeStreams),
): ReplaySession => {
  const { streams } = playback
  const client = clientFromStreams({
    environment,
    elapsed: playback.elapsed,
    status$: streams.status$,
    currentStatus: () => streams.status,
    errors$: streams.errors$,
    price$: (topic) => streams.price$(topic),
    depth$: (mint) => streams.depth$(mint),
    onClose,
  })
  return { playback, client: { ...client, history: replayHistory(playback) } }
}
