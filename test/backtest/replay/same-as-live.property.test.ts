import * as fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, merge, Subject, toArray, type Observable } from 'rxjs'
import type { ConnectionStatus, Price, PriceClient, PriceError } from 'svc-streams'
import { candles, mapRight, rolling, snapshots } from 'svc-streams/operators'
import { record, replay } from 'svc-streams/recording'
import { createTestClient, disconnected, price, stale } from 'svc-streams/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { toStream$ } from '../../../src/base/time/stream.js'
import { caseCount } from '../../support/run/long.js'
import { btcTopic as otherTopic, ethTopic as topic } from '../../support/tokens.js'
import { memoryWriter } from '../recording/support/rows.js'

afterEach(() => void vi.useRealTimers())

interface Decision {
  readonly operator: string
  readonly result: unknown
}

const operators: Readonly<
  Record<
    string,
    (
      price$: Observable<Either<PriceError, Price>>,
      ms: number,
      count: number,
    ) => Observable<Either<PriceError, unknown>>
  >
> = {
  snapshots: (price$, ms) => price$.pipe(snapshots(ms)),
  candles: (price$, ms) => price$.pipe(candles(ms)),
  'filled candles': (price$, ms) => price$.pipe(candles(ms, { fill: true })),
  rolling: (price$, _, count) => price$.pipe(mapRight(priceOf), rolling({ count })),
  'rolling snapshots': (price$, ms, count) =>
    price$.pipe(
      snapshots(ms),
      mapRight(({ value }) => value.price),
      rolling({ count }),
    ),
  'rolling candles': (price$, ms, count) =>
    price$.pipe(
      candles(ms),
      mapRight(({ close }) => close),
      rolling({ count }, { onLeft: 'keep' }),
    ),
}

const priceOf = (value: Price): number => value.price

const decision$ = (client: PriceClient, ms: number, count: number): Observable<Decision> =>
  merge(
    ...Object.entries(operators).map(([operator, apply]) =>
      apply(client.price$(topic), ms, count).pipe(
        map((event) => ({ operator, result: isRight(event) ? event.right : event.left._tag })),
      ),
    ),
  )

/**
 * With it and the handlers, no event is more than 500 ms late, in ms. After a longer block, a `Left` replaces the snapshots of
 * a live run, but not those of a replay.
 */
const maxLate = 150

/** One turn of the event loop, or a part of one. Times are in ms. */
interface Step {
  /** True if the turn of the step before goes on: no time passes but that of handlers, whose own time is then 0. */
  readonly isSameTurn: boolean
  readonly gap: number
  /** True if the timers of the gap fire after the event. */
  readonly isLate: boolean
  /** What the recorder receives before, and the operators do not. */
  readonly other: 'nothing' | 'status' | 'price'
  readonly value: number | 'stale' | 'disconnected'
  /** Number of events. */
  readonly count: number
  /** How long a handler before the operators takes, and one between them and the recorder. */
  readonly handlingTime: number
}

const step: fc.Arbitrary<Step> = fc.record({
  isSameTurn: fc.boolean(),
  gap: fc.oneof(fc.nat(3), fc.nat(60), fc.nat(400)),
  isLate: fc.boolean(),
  other: fc.constantFrom('nothing', 'nothing', 'status', 'price'),
  value: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom('stale' as const, 'disconnected' as const) },
  ),
  count: fc.integer({ min: 1, max: 3 }),
  handlingTime: fc.constantFrom(0, 0, 0, 5, 29, 50),
})

const errors = {
  stale: stale(topic, 1_000, undefined),
  disconnected: disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 1 }),
}

const priceNow = (value: number): Either<never, Price> =>
  right({ ...price(topic, value), receivedAt: Date.now() })

const eventOf = ({ value }: Step): Either<PriceError, Price> =>
  typeof value === 'number' ? priceNow(value) : left(errors[value])

/** The decisions of a live run, and its recording. */
const runLive = async (steps: readonly Step[], ms: number, count: number) => {
  const toFake = [
    'Date',
    'performance',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ] as const
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: [...toFake] })
  const event$ = new Subject<Either<PriceError, Price>>()
  const other$ = new Subject<Either<PriceError, Price>>()
  const status$ = new Subject<ConnectionStatus>()
  const prices = { [topic]: event$, [otherTopic]: other$ }
  const client = { ...createTestClient({ prices }), status$: toStream$(status$) }
  const decisions: Decision[] = []
  const to = memoryWriter()
  let handlingTime = 0
  const clock = Date.now.bind(Date)
  const startedAt = clock()
  /** Until when the event loop is blocked. */
  let blockedUntil = startedAt
  Date.now = () => Math.max(blockedUntil, clock())
  performance.now = () => Date.now() - startedAt
  /** Time passes, and no timer fires. */
  const block = (duration: number): void => void (blockedUntil = Date.now() + duration)
  const slow = (): void => block(handlingTime)
  client.price$(topic).subscribe(slow)
  decision$(client, ms, count).subscribe((decision) => decisions.push(decision))
  client.price$(topic).subscribe(slow)
  const recorder = record(client, { topics: [topic, otherTopic], to })
  const emit = (each: Step): void => {
    handlingTime = each.isSameTurn ? 0 : each.handlingTime
    if (each.other === 'status') status$.next({ _tag: 'Idle' })
    if (each.other === 'price') other$.next(priceNow(1))
    for (let number = 1; number <= each.count; number++) event$.next(eventOf(each))
  }
  const startTurn = async (each: Step): Promise<void> => {
    await Promise.resolve() // the end of the turn
    // The timers fire that were due meanwhile.
    vi.advanceTimersByTime(Date.now() - clock())
    if (each.isLate) block(Math.min(each.gap, maxLate))
    else vi.advanceTimersByTime(each.gap)
    await Promise.resolve() // the end of the turn
  }
  for (const each of steps) {
    if (!each.isSameTurn) await startTurn(each)
    emit(each)
  }
  event$.complete()
  await recorder.stop()
  vi.useRealTimers()
  return { decisions, recording: new Blob([to.text()]).stream() }
}

it('a replay has the decisions of the live run, for any events, slow handlers, and late timers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(20, 100, 1_000),
      fc.integer({ min: 1, max: 5 }),
      async (steps, ms, count) => {
        const { decisions, recording } = await runLive(steps, ms, count)
        const replayed = await lastValueFrom(
          replay(recording, { speed: Infinity }).run$((past) => decision$(past, ms, count).pipe(toArray())),
        )
        for (const operator of Object.keys(operators)) {
          const isOf = (decision: Decision): boolean => decision.operator === operator
          expect(replayed.filter(isOf)).toEqual(decisions.filter(isOf))
        }
      },
    ),
    { numRuns: caseCount(1000) },
  )
})
