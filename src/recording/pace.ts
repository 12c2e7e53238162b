import type { Subscription } from 'rxjs'
import { elapsed } from '../time/clock.js'
import { delay } from '../time/deadline.js'
import { VirtualTime } from '../time/virtual-time.js'

/** How the time of a recording passes. All times are in ms since the Unix epoch. */
export interface Pace {
  /** Does something at a time of the recording. */
  at(time: number, work: () => void): void
  /** Does something now. */
  within<A>(work: () => A): A
  /** How long to wait for a time, in ms. */
  wait(time: number): number
  /** Time stood still, and passes again. */
  resume(): void
}

/** The time of the recording passes so many times as fast as that of the day, in which all is done. */
export const realPace = (speed: number): Pace => {
  /** A time of the recording, and when it was. */
  let anchor: { readonly time: number; readonly elapsed: number } | undefined
  return {
    at: (_, work) => work(),
    within: (work) => work(),
    wait: (time) => {
      anchor ??= { time, elapsed: elapsed() }
      return (time - anchor.time) / speed - (elapsed() - anchor.elapsed)
    },
    resume: () => {
      anchor = undefined
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
