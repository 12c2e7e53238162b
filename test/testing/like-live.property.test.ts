import fc from 'fast-check'
import type { Either } from 'fp-ts/lib/Either.js'
import { repeat, Subject, take, takeUntil, tap } from 'rxjs'
import type { ConnectionStatus, Price, PriceClient, PriceError } from 'svc-streams'
import { createTestClient } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { caseCount } from '../support/run/long.js'
import { a, createScriptedClient } from '../support/time/marbles.js'
import { server, type ServerMove } from '../support/time/scripted-socket.js'
import { createTimedLog } from '../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../support/time/virtual-time.js'

type PriceEvent = Either<PriceError, Price>

/** What the service does. `after`: ms after the step before. */
const step = fc.record({
  after: fc.constantFrom(10, 40, 210, 600),
  does: fc.constantFrom('price', 'price', 'price', 'price', 'garbage', 'reject', 'drop', 'silent drop'),
})

/** When a subscriber joins, how long it stays, in ms, and how many events it takes. */
const subscriber = fc.record({
  joins: fc.nat(2500),
  stays: fc.nat(1500),
  takes: fc.constantFrom(1, 2, 1000),
})

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
type SubscriberPlan = typeof subscriber extends fc.Arbitrary<infer A> ? A : never

/** The service's actions of a step, with their delays in ms. After a drop, it accepts the next connection. */
const movesOf = (does: string, index: number): readonly (readonly [delay: number, move: ServerMove])[] => {
  const accepted = [
    [120, server.opens],
    [140, server.confirms(a)],
  ] as const
  switch (does) {
    case 'price':
      return [[0, server.prices(a, index + 1)]]
    case 'garbage':
      return [[0, server.says(JSON.stringify({ topic: a, price: 'none' }))]]
    case 'reject':
      return [[0, server.says(`unknown topic ${a}`)]]
    case 'drop':
      return [[0, server.closes(1012, 'restarting')], ...accepted]
    default:
      return [[0, server.closes(1012, 'restarting')], ...accepted.slice(0, 1)]
  }
}

/** Lets subscribers join and leave, never in the tick of an event. Returns their events, with the times. */
const logsOf = (client: PriceClient, plans: readonly SubscriberPlan[], time: VirtualTime) =>
  plans.map(({ joins, stays, takes }) => {
    const log = createTimedLog(time)
    const leaves$ = new Subject<void>()
    const price$ = client.price$(a).pipe(take(takes), takeUntil(leaves$))
    time.at(joins + 0.5, () => price$.subscribe(log.observer('')))
    time.at(joins + stays + 0.5, () => leaves$.next())
    return log.lines
  })

/** The observables of a test client. */
interface Given {
  readonly price$: Subject<PriceEvent>
  readonly status$: Subject<ConnectionStatus>
}

/** Emits an event of a live client again, at its time. */
type Recorded = readonly [at: number, emit: (given: Given) => void]

/** The events of the subscribers of a live client, and what one that is never away has received. */
const runLive = (steps: readonly Step[], plans: readonly SubscriberPlan[]) => {
  const recorded: Recorded[] = []
  let logs: readonly (readonly string[])[] = []
  runInVirtualTime(
    (time) => {
      const move$ = new Subject<ServerMove>()
      const { client } = createScriptedClient(() => move$, {
        staleAfter: 500,
        confirmTimeout: 300,
        reconnect: { initialDelay: 100, maxDelay: 100 },
      })
      client.status$
        .pipe(tap((status) => recorded.push([time.now(), ({ status$ }) => status$.next(status)])))
        .subscribe()
      // A rejection completes the stream.
      const price$ = client.price$(a).pipe(
        tap((event) => recorded.push([time.now(), (given) => given.price$.next(event)])),
        repeat(),
      )
      price$.subscribe()
      let at = 0
      const moveAt = (ms: number, move: ServerMove): void => time.at(ms, () => move$.next(move))
      moveAt(1, server.opens)
      moveAt(2, server.confirms(a))
      for (const [index, { after, does }] of steps.entries()) {
        at += after
        for (const [delay, move] of movesOf(does, index)) moveAt(at + delay, move)
      }
      logs = logsOf(client, plans, time)
    },
    { endsAt: 5000 },
  )
  return { logs, recorded }
}

/** The events of the subscribers of a test client over what the live client has emitted. */
const runTest = (recorded: readonly Recorded[], plans: readonly SubscriberPlan[]) => {
  let logs: readonly (readonly string[])[] = []
  runInVirtualTime(
    (time) => {
      const given: Given = { price$: new Subject(), status$: new Subject() }
      const client = createTestClient({ prices: { [a]: given.price$ }, status$: given.status$ })
      client.price$(a).pipe(repeat()).subscribe()
      for (const [at, emit] of recorded) time.at(at, () => emit(given))
      logs = logsOf(client, plans, time)
    },
    { endsAt: 5000 },
  )
  return logs
}

it('gives each subscriber the events that a live client gives it, for any service and any joins and leaves', () => {
  const scenarios = [fc.array(step, { maxLength: 20 }), fc.array(subscriber, { maxLength: 8 })] as const
  fc.assert(
    fc.property(...scenarios, (steps, plans) => {
      const { recorded, logs } = runLive(steps, plans)
      expect(runTest(recorded, plans)).toEqual(logs)
    }),
    { numRuns: caseCount(5000) },
  )
})
