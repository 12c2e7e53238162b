import { isLeft } from 'fp-ts/lib/Either.js'
import { publish } from '../diagnostics/publish.js'
import type { PriceEvent } from './topic-state.js'

/** Publishes what a topic's listeners were told, where nothing else has published it. */
export const publishFailure = (host: string, event: PriceEvent | undefined): void => {
  if (event === undefined || !isLeft(event)) return
  const error = event.left
  switch (error._tag) {
    case 'SubscriptionRejected':
      return publish('svc-streams:rejected', () => ({ host, error }))
    case 'SubscriptionTimeout':
      return publish('svc-streams:unanswered', () => ({ host, error }))
    case 'Stale':
      return publish('svc-streams:stale', () => ({ host, error }))
    case 'Disconnected':
    case 'DecodeError':
    case 'InvalidTopic':
    case 'ClientClosed':
      return
  }
}
