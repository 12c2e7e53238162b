import { left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { recordingError, unreadableRecording } from '../../../base/errors/constructors.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { messageOf } from '../../../base/errors/text.js'
import { wholeLines } from '../../../wire/platform/node/file-lines.js'
import type { PaperEvent } from '../events.js'
import type { Order, TradeOrder } from '../orders.js'
import { changes, lineOf, type JournalLine } from './journal.js'
import { bigintOf, isSavedState, withUnits } from './saved-state.js'

/**
 * The events of all runs of a journal, as they were emitted: for `summaryOf` and `renderReport`. The file may still be
 * written to. A last line that is torn is left out, and so are events whose state is missing, which were not emitted. In Node
 * alone.
 *
 * Left: a `RecordingError` with the line, if the file cannot be read or is no journal of an account.
 *
 * @example
 * import { isRight } from 'svc-streams'
 * const events = await journalEvents('desk.ndjson')()
 * if (isRight(events)) console.log(summaryOf(events.right))
 */
export const journalEvents =
  (path: string): TaskEither<RecordingError, readonly PaperEvent[]> =>
  async () => {
    const events: PaperEvent[] = []
    /** The number of events before the last state. */
    let saved = 0
    let line = 0
    let text = ''
    try {
      for await (text of wholeLines(path)) {
        line++
        const value = lineOf(text)
        if (isSavedState(value)) saved = events.length
        else if (isEvent(value)) events.push(eventOf(value))
      }
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown)
        return left(unreadableRecording(path, line + 1, thrown))
      const issue = { path: '', expected: 'an event of an account', actual: messageOf(thrown) }
      return left(recordingError(path, line, text, [issue]))
    }
    const torn = events.findIndex(({ _tag }, index) => index >= saved && changes.has(_tag))
    return right(torn < 0 ? events : events.slice(0, torn))
  }

const tags: ReadonlySet<unknown> = new Set([...changes, 'Equity', 'Account'])

const isEvent = (line: JournalLine): line is PaperEvent => tags.has(line._tag)

/** The event with its quantities as `bigint`, which JSON has as text. */
const eventOf = (event: PaperEvent): PaperEvent => {
  switch (event._tag) {
    case 'Filled':
      return {
        ...event,
        order: withUnits(event.order),
        quantity: bigintOf(event.quantity),
        remaining: bigintOf(event.remaining),
      }
    case 'Cancelled': {
      const { order, remaining } = event
      return { ...event, order: withUnits(order), remaining: remaining === null ? null : bigintOf(remaining) }
    }
    case 'Rejected':
      return { ...event, order: orderOf(event.order) }
    case 'Account':
      return {
        ...event,
        positions: event.positions.map((each) => ({ ...each, quantity: bigintOf(each.quantity) })),
      }
    case 'Equity':
    case 'WriteError':
      return event
  }
}

/** A rejected order may be anything: one that is not valid stays as JSON has it. */
const orderOf = (order: Order): Order => {
  try {
    if (order._tag === 'Together') return { ...order, orders: order.orders.map(withUnits) }
    return order._tag === 'Cancel' ? order : withUnits(order satisfies TradeOrder)
  } catch {
    return order
  }
}
