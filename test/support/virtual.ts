import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observer } from 'rxjs'
import { vi } from 'vitest'
import { VirtualClock } from './virtual-clock.js'

/** A scenario's hold on virtual time. */
export interface Virtual {
  readonly now: () => number
  /** Does something at a time, in ms from the start. */
  readonly at: (ms: number, act: () => void) => void
  /** Does something so many ms from now. */
  readonly after: (ms: number, act: () => void) => void
  /** How many timers are set, the scenario's own included. */
  readonly timers: () => number
}

export interface VirtualOptions {
  /** When time ends, in ms: what never ends by itself is cut off there. */
  readonly until?: number
  /** What `Math.random` gives. Default: the middle of its range. */
  readonly draw?: () => number
}

/** Plays a scenario in virtual time, and returns how many timers are set still when nothing more happens. */
export const virtually = (
  scenario: (virtual: Virtual) => void,
  { until = 1_000_000, draw = () => 0.5 }: VirtualOptions = {},
): number => {
  const random = vi.spyOn(Math, 'random').mockImplementation(draw)
  const clock = new VirtualClock()
  try {
    const at = (ms: number, act: () => void): void => clock.at(ms, act)
    const after = (ms: number, act: () => void): void => clock.at(clock.now() + ms, act)
    clock.run(() => scenario({ now: clock.now, at, after, timers: () => clock.pending }), until)
  } finally {
    random.mockRestore()
  }
  return clock.pending
}

/** A value of a stream in a few characters: a price's number, an error's tag, with its attempt if it has one. */
export const brief = (value: unknown): string => {
  if (!isEither(value)) return tagOf(value)
  return isRight(value) ? String((value.right as { price?: number }).price) : tagOf(value.left)
}

const isEither = (value: unknown): value is Either<unknown, unknown> =>
  typeof value === 'object' && value !== null && ('left' in value || 'right' in value)

const tagOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || !('_tag' in value)) return String(value)
  const { _tag, attempt } = value as { readonly _tag: string; readonly attempt?: number }
  return attempt === undefined ? _tag : `${_tag} ${attempt}`
}

export interface Journal {
  readonly lines: string[]
  /** Writes down a value at the time that it is now. */
  readonly note: (text: string) => void
  /** An observer that writes down what it is told, under a name. */
  readonly observer: (name: string) => Observer<unknown>
}

/** What happened when, a line each: `12 name: value`. */
export const journalOf = ({ now }: Pick<Virtual, 'now'>): Journal => {
  const lines: string[] = []
  const note = (text: string): void => void lines.push(`${now()} ${text}`)
  return {
    lines,
    note,
    observer: (name) => ({
      next: (value) => note(`${name}: ${brief(value)}`),
      complete: () => note(`${name}: complete`),
      error: (error) => note(`${name}: ERROR ${String(error)}`),
    }),
  }
}
