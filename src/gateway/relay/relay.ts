import type { CancellableTask } from '../../task/cancellable-task.js'
import type { TextResponse } from '../../server/text-response.js'

/** Answers requests of one kind with the client's result. */
export interface Relay {
  /** Cancelling drops the response; the request to the service continues if others wait for it. */
  readonly respond: (argument: string) => CancellableTask<TextResponse>
  readonly close: () => void
}
