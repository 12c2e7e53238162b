import { concat, defer, forkJoin, Subject, Subscription, take, takeUntil, type Observable } from 'rxjs'
import { delay$ } from '../../../base/time/deadline.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import { readAgain$ } from '../../../operators/past-until-live.js'
import { pastTimeout } from '../../../operators/with-past.js'
import type { ReadOn } from '../read/source.js'
import type { StreamSeam } from './stream-seam.js'

/**
 * Reads a recording that may still be written to up to the first live prices: when it has been read, the live streams start, and
 * it is read again until it contains their first prices, as the past of `withPast`.
 */
export class Seam {
  private readonly work = new Subscription()
  /** Emits at each end of the recording but the first. */
  private readonly end$ = new Subject<void>()
  private answer: (isReadOn: boolean) => void = () => undefined
  private state: 'past' | 'reading on' | 'over' = 'past'

  /** `startLive`: starts the live streams, whose rows are held. */
  constructor(
    private readonly seams: () => Iterable<StreamSeam>,
    private readonly startLive: () => void,
  ) {}

  readonly readOn: ReadOn = () =>
    new Promise((resolve) => {
      this.answer = resolve
      if (this.state === 'past') this.start()
      else if (this.state === 'over') resolve(false)
      else this.end$.next()
    })

  stop(): void {
    this.state = 'over'
    this.work.unsubscribe()
    this.answer(false)
  }

  private start(): void {
    this.state = 'reading on'
    this.startLive()
    const rest$ = readAgain$(this.read$, (isFirst) =>
      Array.from(this.seams()).some((seam) => !seam.hasReached(!isFirst)),
    )
    const end$ = concat(this.started$, rest$).pipe(takeUntil(delay$(rxClock, pastTimeout)))
    this.work.add(end$.subscribe({ complete: () => this.stop() }))
  }

  private readonly started$ = defer(() =>
    forkJoin(Array.from(this.seams(), ({ hasPast, live }) => (hasPast ? [live.started$] : [])).flat()),
  )

  private readonly read$: Observable<unknown> = defer(() => {
    this.answer(true)
    return this.end$.pipe(take(1))
  })
}
