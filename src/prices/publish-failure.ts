import { isLeft } from 'fp-ts/lib/Either.js'
import type { Publish } from '../diagnostics/messages.js'
import { assertNever } from '../domain/assert-never.js'
import type { PriceEvent } from './subscriber-list.js'

interface FailureChannel {
  /** Host and port of the service. */
  readonly host: string
  readonly publish: Publish
}

/** Publishes the failure that a topic's subscribers received, on its diagnostics channel. */
export const publishFailure = ({ host, publish }: FailureChannel, event: PriceEvent | undefined): void => {
  if (event === undefined || !isLeft(event)) return
  const error = event.left
  switch (error._tag) {
    case 'SubscriptionRejected':
      return publish('svc-streams:rejected', () => ({ host, error }))
    case 'SubscriptionTimeout':
      return publish('svc-streams:unanswered', () => ({ host, error }))
    case 'Stale':
      return publish('svc-streams:stale', () => ({ host, error }))
    // Published elsewhere: `disconnected` by the socket, `decode-error` by the frame handler.
    case 'Disconnected':
    case 'DecodeError':
    case 'InvalidTopic':
    case 'ClientClosed':
      return
    default:
      return assertNever(error)
  }
}
