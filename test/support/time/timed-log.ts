import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observer } from 'rxjs'
import type { VirtualTime } from './virtual-time.js'

/** A short form of an emitted value: the number of a price; the tag of an error, with its attempt if it has one. */
export const summarize = (value: unknown): string => {
  if (!isEither(value)) return summarizeTagged(value)
  return isRight(value) ? String((value.right as { price?: number }).price) : summarizeTagged(value.left)
}

const isEither = (value: unknown): value is Either<unknown, unknown> =>
  typeof value === 'object' && value !== null && ('left' in value || 'right' in value)

const summarizeTagged = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || !('_tag' in value)) return String(value)
  const { _tag, attempt } = value as { readonly _tag: string; readonly attempt?: number }
  return attempt === undefined ? _tag : `${_tag} ${attempt}`
}

/** A log with one line per event: `12 name: value`. */
export interface TimedLog {
  readonly lines: string[]
  /** Adds a line with the current virtual time. */
  readonly add: (text: string) => void
  /** Returns an observer that logs each notification under a name. */
  readonly observer: (name: string) => Observer<unknown>
}

export const createTimedLog = ({ now }: Pick<VirtualTime, 'now'>): TimedLog => {
  const lines: string[] = []
  const add = (text: string): void => void lines.push(`${now()} ${text}`)
  return {
    lines,
    add,
    observer: (name) => ({
      next: (value) => add(`${name}: ${summarize(value)}`),
      complete: () => add(`${name}: complete`),
      error: (error) => add(`${name}: ERROR ${String(error)}`),
    }),
  }
}
