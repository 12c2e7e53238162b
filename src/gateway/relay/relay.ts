import type { CancellableTask } from '../../task/cancellable-task.js'
import type { TextResponse } from '../../server/http-response.js'
import type { Requester } from './request-queue.js'

/** Answers requests of one kind with the client's result. */
export interface Relay {
  /**
   * Cancelling drops the response. A request to the service that is not sent yet is not sent if no other consumer waits
   * for it.
   */
  readonly respond: (argument: string, requester: Requester) => CancellableTask<TextResponse>
  readonly close: () => void
}
