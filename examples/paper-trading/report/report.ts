import { last, map, scan, type Observable } from 'rxjs'
import type { Account, Equity } from '../account.js'
import type { PaperEvent } from '../broker.js'
import type { Money } from '../money.js'
import type { Filled, Rejected } from '../order.js'

/** The result of a run. Two runs over equal data have equal reports. */
export interface Report {
  /** In the order of their fill or rejection. */
  readonly orders: readonly (Filled | Rejected)[]
  readonly curve: readonly Equity[]
  readonly account: Account
  /** The largest fall of the equity curve from an earlier point. */
  readonly maxDrawdown: Money
}

/** Emits one report, when the run is over. */
export const toReport$ = (events$: Observable<PaperEvent>): Observable<Report> =>
  events$.pipe(
    // No seed: the lists grow in place, and all subscribers would share a seed.
    scan<PaperEvent, Lists, undefined>(collect, undefined),
    last(),
    map(({ orders, curve, account }) => {
      if (account === undefined) throw new Error('the run has no end')
      return { orders, curve, account, maxDrawdown: maxDrawdownOf(curve) }
    }),
  )

interface Lists {
  readonly orders: (Filled | Rejected)[]
  readonly curve: Equity[]
  account: Account | undefined
}

const collect = (before: Lists | undefined, event: PaperEvent): Lists => {
  const lists = before ?? { orders: [], curve: [], account: undefined }
  if (event._tag === 'Equity') lists.curve.push(event)
  else if (event._tag === 'Account') lists.account = event
  else lists.orders.push(event)
  return lists
}

const maxDrawdownOf = (curve: readonly Equity[]): Money => {
  let [highest, drawdown] = [curve[0]?.equity ?? 0n, 0n]
  for (const { equity } of curve) {
    if (equity > highest) highest = equity
    if (highest - equity > drawdown) drawdown = highest - equity
  }
  return drawdown
}
