import { Observable, Subscription, type Observer } from 'rxjs'
import { reportError } from '../../task/safe-notify.js'
import type { Playback } from './playback.js'

/**
 * Subscribes to `source$`, and unsubscribes from it, on the clock of the recording. Completes with the recording. Once a
 * source has run, the replay ends when its last subscriber leaves.
 */
export const runInRecordingTime$ = <A>(playback: Playback, source$: Observable<A>): Observable<A> =>
  new Observable<A>((subscriber) => {
    const subscription = new Subscription()
    const leave = playback.startRun()
    const endRun = (): void => {
      if (subscription.closed) return
      playback.run(() => subscription.unsubscribe())
      leave()
    }
    subscriber.add(endRun)
    subscription.add(playback.ended$.subscribe(() => subscriber.complete()))
    // The run ends before the subscriber is notified, so that timers which the notification starts are real.
    const observer: Observer<A> = {
      next: (value) => subscriber.next(value),
      error: (error) => {
        endRun()
        subscriber.error(error)
      },
      complete: () => {
        endRun()
        subscriber.complete()
      },
    }
    playback
      .header()
      .then(() => {
        if (!subscription.closed) playback.run(() => subscription.add(source$.subscribe(observer)))
      })
      .catch(reportError)
  })
