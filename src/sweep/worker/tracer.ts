import { map, materialize, type ObservableNotification, type OperatorFunction } from 'rxjs'
import { strategyFault } from '../../errors/sweep-error.js'
import type { Output } from '../messages.js'

/** Finds out when each event of a strategy came: at which line, or after it. */
export class Tracer {
  private line = 0
  private isAtLine = false

  onLine(): void {
    this.line++
    this.isAtLine = true
  }

  /** Called when the promises of the line have settled. */
  onSettled(): void {
    this.isAtLine = false
  }

  /** The events of a stream, its end included, as values. */
  traced(playback: { readonly isOver: boolean }): OperatorFunction<unknown, Output> {
    return (source$) =>
      source$.pipe(
        materialize(),
        map((notification) => ({
          line: this.line,
          phase: playback.isOver ? 'end' : this.isAtLine ? 'line' : 'between',
          event: eventOf(notification),
        })),
      )
  }
}

const eventOf = (notification: ObservableNotification<unknown>): Output['event'] => {
  if (notification.kind === 'N') return { _tag: 'Value', value: notification.value }
  if (notification.kind === 'C') return { _tag: 'Completed' }
  const { name, message } = strategyFault(notification.error).cause
  return { _tag: 'Failed', message: `${name}: ${message}` }
}
