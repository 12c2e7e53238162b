import { isLeft } from 'fp-ts/lib/Either.js'
import type { Gap, GapCause, PastEvent } from '../../../../src/base/domain/past.js'
import type { Topic } from '../../../../src/base/domain/topic.js'
import type { PriceError } from '../../../../src/base/errors/model.js'
import type { RecordingHeader, Row } from '../../../../src/backtest/recording/codec/row.js'

type Mark = { readonly at: number } & (
  { readonly cause: GapCause } | { readonly price: number; readonly epoch: number }
)

/** The past of a topic within a range, from all lines of all recordings. */
export const referencePast = (
  topic: Topic,
  recordings: readonly (readonly (RecordingHeader | Row)[])[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly PastEvent[] => {
  const marks = marksOf(topic, recordings.flat(), to)
  const events = marks.flatMap((mark, index): readonly PastEvent[] => {
    const before = marks[index - 1]
    const gap = (start: number, cause: GapCause): Gap => ({
      _tag: 'Gap',
      topic,
      from: start,
      to: mark.at,
      cause,
    })
    const gaps =
      before === undefined
        ? []
        : 'cause' in before
          ? [gap(before.at, before.cause)]
          : // The price after the range is not read.
            'epoch' in mark && mark.epoch !== before.epoch && mark.at < to
            ? [gap(before.at, 'disconnected')]
            : []
    if ('cause' in mark) return gaps
    return [...gaps, { _tag: 'PastPrice', topic, price: mark.price, at: mark.at }]
  })
  return joined(events).flatMap((event) => clipped(event, from, to))
}

/** When the topic got a price, or lost it, or the recordings ended. */
const marksOf = (topic: Topic, lines: readonly (RecordingHeader | Row)[], to: number): readonly Mark[] => {
  const marks: Mark[] = [{ at: -Infinity, cause: 'unrecorded' }]
  let now = -Infinity
  let headerAt: number | undefined
  let isRecorded = false
  let latest = -Infinity
  for (const line of lines) {
    if (line._tag === 'Recording') {
      if (line.continues === undefined || line.continues !== headerAt) {
        marks.push({ at: now, cause: 'unrecorded' })
        isRecorded = line.topics.includes(topic)
      }
      headerAt = line.at
    }
    now = line._tag === 'Recording' ? Math.max(now, line.at) : line.at
    latest = Math.max(latest, now)
    // A clock may have been set back: rows of the range may follow.
    if (line.at >= to) continue
    if (line._tag === 'Price' && line.topic === topic) {
      isRecorded = true
      const { event } = line
      if (isLeft(event)) marks.push({ at: now, cause: causes[event.left._tag] })
      else marks.push({ at: now, price: event.right.price, epoch: event.right.epoch })
    }
    if (line._tag === 'End' && line.of === topic) {
      isRecorded = false
      marks.push({ at: now, cause: 'unrecorded' })
    }
    if (line._tag !== 'Status' || !isRecorded) continue
    if (line.status._tag === 'Waiting') marks.push({ at: now, cause: 'disconnected' })
    if (line.status._tag === 'Closed') marks.push({ at: now, cause: 'unrecorded' })
  }
  return [
    ...marks,
    ...(latest >= to ? [] : [{ at: latest, cause: 'unrecorded' } as const]),
    { at: Infinity, cause: 'unrecorded' },
  ]
}

const causes: Readonly<Record<PriceError['_tag'], GapCause>> = {
  Disconnected: 'disconnected',
  Stale: 'stale',
  SubscriptionTimeout: 'stale',
  DecodeError: 'unrecorded',
  InvalidTopic: 'unrecorded',
  SubscriptionRejected: 'unrecorded',
  ClientClosed: 'unrecorded',
}

/** Gaps with one cause that follow each other are one gap. */
const joined = (events: readonly PastEvent[]): readonly PastEvent[] => {
  const all: PastEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if (event._tag === 'Gap' && last?._tag === 'Gap' && last.cause === event.cause)
      all[all.length - 1] = { ...last, to: event.to }
    else all.push(event)
  }
  return all
}

const clipped = (event: PastEvent, from: number, to: number): readonly PastEvent[] => {
  if (event._tag === 'PastPrice') return event.at >= from && event.at < to ? [event] : []
  const gap = { ...event, from: Math.max(event.from, from), to: Math.min(event.to, to) }
  return gap.from < gap.to ? [gap] : []
}
