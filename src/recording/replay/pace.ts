import type { Subscription } from 'rxjs'
import { elapsed } from '../../time/clock.js'
import { delay } from '../../time/deadline.js'
import { VirtualTime } from '../../time/virtual-time.js'

/** How the time of a recording passes. All times are in ms since the Unix epoch. */
export interface Pace {
  /** Does something at a time of the recording. */
  at(time: number, work: () => void): void
  /** Does something now. */
  within<A>(work: () => A): A
  /** How long to wait for a time, in ms. */
  wait(time: number): number
  /** From now on time stands still. */
  pause(): void
  /** It passes again. */
  resume(): void
}

/** The time of the recording passes so many times as fast as that of the day, in which all is done. */
export const realPace = (speed: number): Pace => {
  /** A time of the recording, and when it was. */
  let anchor: { readonly time: number; readonly elapsed: number } | undefined
  let latest = -Infinity
  let pausedAt = 0
  return {
    at: (_, work) => work(),
    within: (work) => work(),
    wait: (time) => {
      // Where the recorded clock was set back, nobody knows how long it took from there to here.
      if (anchor === undefined || time < latest) anchor = { time, elapsed: elapsed() }
      latest = time
      return (time - anchor.time) / speed - (elapsed() - anchor.elapsed)
    },
    pause: () => {
      pausedAt = elapsed()
    },
    resume: () => {
      if (anchor !== undefined) anchor = { ...anchor, elapsed: anchor.elapsed + elapsed() - pausedAt }
    },
  }
}

/** Time is that of the recording, and passes as fast as there is nothing left to do in it. */
export const virtualPace = (): Pace => {
  let virtual: VirtualTime | undefined
  return {
    at: (time, work) => {
      const present = (virtual ??= new VirtualTime(time))
      present.run(() => {
        present.advance(time)
        work()
        present.advance(time)
      })
    },
    within: (work) => (virtual === undefined ? work() : virtual.run(work)),
    wait: () => 0,
    pause: () => undefined,
    resume: () => undefined,
  }
}

/** A wait that can be cut short. */
export const waitFor = (ms: number, interrupted: Subscription): Promise<void> =>
  new Promise((resolve) => {
    const waiting = delay(ms, resolve)
    waiting.add(() => resolve())
    interrupted.add(waiting)
  })
