import { hostWithPort } from '../domain/endpoint.js'
import type { Publish } from '../diagnostics/messages.js'
import { noCancel, type Cancel } from '../task/cancellable-task.js'
import type { HttpAnswer, OnHttpResult } from '../transport/ports.js'

/** Sends a request once, on a new connection if `newConnection`. Never throws. Returns the function that aborts it. */
export type SendOnce = (newConnection: boolean, onResult: OnHttpResult) => Cancel

/**
 * Sends a request to an origin. Sends it once more, on a new connection, if the transport reports that it may be
 * repeated: a service often closes an idle connection while the next request is on its way. Returns the function that
 * aborts.
 */
export const sendRequest = (
  origin: string,
  sendOnce: SendOnce,
  publish: Publish,
  onResult: (result: HttpAnswer) => void,
): Cancel => {
  let isAborted = false
  let abortSecond = noCancel

  const abortFirst = sendOnce(false, (result, mayRepeat = false) => {
    if (!mayRepeat || isAborted) return onResult(result)
    publish('svc-streams:repeated', () => ({ host: hostWithPort(new URL(origin)) }))
    // A subscriber of the channel may have closed the client. The cast undoes the narrowing by the check above.
    if (!(isAborted as boolean)) abortSecond = sendOnce(true, (second) => onResult(second))
  })
  return () => {
    isAborted = true
    abortFirst()
    abortSecond()
  }
}
