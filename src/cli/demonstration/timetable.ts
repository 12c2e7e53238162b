import { asyncScheduler, map, merge, share, tap, timer, type Observable } from 'rxjs'

/** An action that happens at known times. */
export interface Step {
  /** What happens, such as `drops its connection`. */
  readonly text: string
  /** Time until the first run, in ms. */
  readonly first: number
  /** Time between two runs, in ms. Absent: the step runs once. */
  readonly every?: number
  readonly run: () => void
}

export interface Timetable {
  /** The next step, and the remaining time at `now`: `drops its connection in 12 s`. */
  readonly next: (now: number) => string
  /** Runs the steps while it is subscribed to. Emits each step after its run. */
  readonly step$: Observable<Step>
}

/** Runs steps at their times. At least one step must repeat, so that there is always a next one. */
export const createTimetable = (steps: readonly Step[]): Timetable => {
  const start = asyncScheduler.now()
  const dueTimes = new Map(steps.map((step) => [step, start + step.first]))
  const run = (step: Step): void => {
    dueTimes.set(step, asyncScheduler.now() + (step.every ?? Infinity))
    step.run()
  }
  return {
    next: (now) => {
      const [step, due] = [...dueTimes].reduce((a, b) => (b[1] < a[1] ? b : a))
      return `${step.text} in ${Math.ceil(Math.max(0, due - now) / 1000)} s`
    },
    step$: merge(
      ...steps.map((step) =>
        // RxJS emits once if the interval is negative.
        timer(step.first, step.every ?? -1).pipe(
          tap(() => run(step)),
          map(() => step),
        ),
      ),
    ).pipe(share()),
  }
}
