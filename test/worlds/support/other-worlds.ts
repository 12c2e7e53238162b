import type { Either } from 'fp-ts/lib/Either.js'
import { lastValueFrom, Subject, tap, timer } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import type { ConnectionStatus, Depth, DepthError, Price, PriceError, UncorrelatedError } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { createTestClient } from 'svc-streams/testing'
import { before, createEvents } from './events.js'
import type { LiveRun } from './live-world.js'
import { a, b, interval, mint, type Strategy } from './strategies.js'

/** Runs a strategy over the recording, which is read in pieces of `pieceLength` characters. */
export const runReplay = async (
  { recording, endsAt }: LiveRun,
  strategy: Strategy,
  { speed = Infinity, pieceLength = recording.length } = {},
): Promise<readonly string[]> => {
  const pieces = function* () {
    for (let from = 0; from < recording.length; from += pieceLength)
      yield recording.slice(from, from + pieceLength)
  }
  const events = createEvents()
  const client = replay({ [Symbol.iterator]: pieces }, { speed })
  const result$ = client.run$((inner) => strategy(inner).pipe(tap(events.observer)))
  await lastValueFrom(result$, { defaultValue: undefined })
  // At other speeds time is real.
  return speed === Infinity ? before(endsAt, events.lines) : events.lines
}

/** Runs a strategy under `TestScheduler`, with a test client that is given what the live client has emitted. */
export const runMarbles = (
  { emitted, emittedBefore, endsAt }: LiveRun,
  strategy: Strategy,
): readonly string[] => {
  const events = createEvents()
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    scheduler.maxFrames = endsAt
    const status$ = new Subject<ConnectionStatus>()
    const errors$ = new Subject<UncorrelatedError>()
    const [eth$, btc$] = [new Subject<Either<PriceError, Price>>(), new Subject<Either<PriceError, Price>>()]
    const depth$ = new Subject<Either<DepthError, Depth>>()
    const given: Readonly<Record<string, unknown>> = {
      status: status$,
      error: errors$,
      [a]: eth$,
      [b]: btc$,
      [mint]: depth$,
    }
    const client = createTestClient({
      prices: { [a]: eth$, [b]: btc$ },
      depths: { [mint]: depth$ },
      status$,
      errors$,
    })
    // As the recorder does, which subscribes to all streams of a live client.
    for (const topic of [a, b]) client.price$(topic).subscribe()
    client.depth$(mint, interval).subscribe()
    for (const [index, { at, of, event }] of emitted.entries()) {
      const subject = given[of] as Subject<unknown>
      const emit = (): void => (event === undefined ? subject.complete() : subject.next(event))
      if (index < emittedBefore) emit()
      else timer(at).subscribe(emit)
    }
    strategy(client).subscribe(events.observer)
  })
  return before(endsAt, events.lines)
}
