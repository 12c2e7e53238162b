import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  concatMap,
  distinctUntilChanged,
  filter,
  map,
  materialize,
  merge,
  of,
  scan,
  takeWhile,
  type Observable,
} from 'rxjs'
import { notFresh } from '../../../../src/base/errors/constructors.js'
import type { NotFresh } from '../../../../src/base/errors/model.js'

interface Leg {
  readonly latest?: Either<unknown, unknown>
  readonly at: number
  readonly lost?: boolean
}
type State = Readonly<Record<string, Leg>> & { readonly subscribed?: Leg }
type Result = Either<NotFresh, object>

/** `combineFresh` as a chain of RxJS's operators over an immutable state. */
export const referenceCombineFresh = (
  legs: Readonly<Record<string, Observable<Either<unknown, unknown>>>>,
  maxSkew: number,
): Observable<Result> => {
  const keys = Object.keys(legs)
  const valueOf = (leg: Leg | undefined): unknown =>
    leg?.latest !== undefined && isRight(leg.latest) ? leg.latest.right : undefined
  const updates$ = keys.map((key) =>
    legs[key]!.pipe(
      materialize(),
      map((notification) => {
        if (notification.kind === 'E') throw notification.error
        if (notification.kind === 'C')
          return (state: State): State =>
            valueOf(state[key]) === undefined
              ? { ...state, [key]: { at: 0, ...state[key], lost: true } }
              : state
        const { value: latest } = notification
        const leg = { latest, at: receivedAtOf(latest) ?? asyncScheduler.now() }
        return (state: State): State => ({ ...state, [key]: leg })
      }),
    ),
  )
  const isLost = (state: State): boolean => keys.some((key) => state[key]?.lost === true)
  const resultOf = (state: State): Result => {
    const faulty =
      keys.find((key) => state[key]?.lost === true) ?? keys.find((key) => valueOf(state[key]) === undefined)
    if (faulty !== undefined) {
      const latest = state[faulty]?.latest
      const isMissing = latest === undefined || isRight(latest)
      return left(notFresh(faulty, isMissing ? { why: 'missing' } : { why: 'left', error: latest.left }))
    }
    const newest = Math.max(...keys.map((key) => state[key]!.at))
    const late = keys.find((key) => newest - state[key]!.at > maxSkew)
    if (late !== undefined) return left(notFresh(late, { why: 'skew', skewMs: newest - state[late]!.at }))
    return right(Object.fromEntries(keys.map((key) => [key, valueOf(state[key])])))
  }
  const subscribe = (state: State): State => ({ ...state, subscribed: { at: 0 } })
  return merge(...updates$, of(subscribe)).pipe(
    concatMap((update) => of(update)),
    scan((state, update) => update(state), {} as State),
    distinctUntilChanged(),
    filter(({ subscribed }) => subscribed !== undefined),
    takeWhile((state) => !isLost(state), true),
    map(resultOf),
    distinctUntilChanged((a, b) => isLeft(a) && isLeft(b) && faultOf(a.left) === faultOf(b.left)),
  )
}

const receivedAtOf = (latest: Either<unknown, unknown>): number | undefined =>
  isRight(latest) ? (latest.right as { readonly receivedAt?: number }).receivedAt : undefined

/** The errors of the test are strings. */
const faultOf = (fault: NotFresh): string =>
  `${fault.leg} ${fault.why} ${fault.why === 'left' ? String(fault.error) : ''}`
