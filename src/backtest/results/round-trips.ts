import type { Equity, Filled, PaperEvent } from '../account/events.js'
import type { Side } from '../account/orders.js'

/** A position of a token from flat to flat, or to the fill that turns it. USD, times in ms since the Unix epoch. */
export interface RoundTrip {
  readonly symbol: string
  /** Of the fills that opened it. */
  readonly side: Side
  readonly from: number
  readonly to: number
  /** All that was opened, in base-token units. */
  readonly quantity: bigint
  /** Averages, for one token. */
  readonly entryPrice: number
  readonly exitPrice: number
  /** The profit after all fees. */
  readonly netUsd: number
  /** The lowest and the highest value in between, after the fees so far. */
  readonly worstUsd: number
  readonly bestUsd: number
}

/** The round trips of a run, in the order of their ends. A position that is open at the end is none. */
export const roundTripsOf = (events: readonly PaperEvent[]): readonly RoundTrip[] => {
  const trips: RoundTrip[] = []
  const open = new OpenTrips((trip) => trips.push(trip))
  for (const event of events) {
    if (event._tag === 'Filled') open.onFill(event)
    if (event._tag === 'Equity') open.onEquity(event)
  }
  return trips
}

/** A round trip so far. */
interface OpenTrip {
  readonly side: Side
  readonly from: number
  /** The tokens in one base-token unit. */
  readonly scale: number
  /** Base-token units: now, and of all that was opened. */
  held: bigint
  opened: bigint
  /** Of the fills that opened it, and of those that reduced it. */
  entryUsd: number
  exitUsd: number
  fees: number
  worst: number
  best: number
}

/** Joins fills to round trips, in constant memory. */
export class OpenTrips {
  private readonly open = new Map<string, OpenTrip>()

  constructor(private readonly onTrip: (trip: RoundTrip) => void) {}

  /** True while there is a position. */
  get isHeld(): boolean {
    return this.open.size > 0
  }

  onFill(fill: Filled): void {
    const { symbol, side, at, quantity } = fill
    const trip = this.open.get(symbol)
    if (trip === undefined || trip.side === side) return this.add(fill, quantity)
    const closed = quantity < trip.held ? quantity : trip.held
    trip.held -= closed
    trip.exitUsd += take(trip, fill, closed)
    pass(trip, fill.price)
    if (trip.held > 0n) return
    this.open.delete(symbol)
    this.onTrip(tripOf(symbol, trip, at))
    if (closed < quantity) this.add(fill, quantity - closed)
  }

  onEquity({ prices }: Equity): void {
    for (const [symbol, trip] of this.open) {
      const price = prices[symbol]
      if (price !== undefined) pass(trip, price)
    }
  }

  /** `opened`: the part of the fill that opens the trip, or adds to it. */
  private add(fill: Filled, opened: bigint): void {
    const { symbol, side, at, quantity, price, valueUsd } = fill
    const trip: OpenTrip = this.open.get(symbol) ?? {
      ...{ side, from: at, scale: valueUsd / price / Number(quantity), held: 0n, opened: 0n },
      ...{ entryUsd: 0, exitUsd: 0, fees: 0, worst: Infinity, best: -Infinity },
    }
    this.open.set(symbol, trip)
    trip.held += opened
    trip.opened += opened
    trip.entryUsd += take(trip, fill, opened)
    pass(trip, price)
  }
}

/** The value of a quantity of a fill. The trip pays its share of the fee. */
const take = (trip: OpenTrip, fill: Filled, quantity: bigint): number => {
  const share = Number(quantity) / Number(fill.quantity)
  trip.fees += fill.feeUsd * share
  return fill.valueUsd * share
}

/** What a trip is worth at a price. */
const valueAt = ({ side, held, scale, entryUsd, exitUsd, fees }: OpenTrip, price: number): number => {
  const gain = exitUsd + Number(held) * scale * price - entryUsd
  return (side === 'buy' ? gain : -gain) - fees
}

const pass = (trip: OpenTrip, price: number): void => {
  const value = valueAt(trip, price)
  trip.worst = Math.min(trip.worst, value)
  trip.best = Math.max(trip.best, value)
}

const tripOf = (symbol: string, trip: OpenTrip, to: number): RoundTrip => {
  const tokens = Number(trip.opened) * trip.scale
  return {
    ...{ symbol, side: trip.side, from: trip.from, to, quantity: trip.opened },
    entryPrice: trip.entryUsd / tokens,
    exitPrice: trip.exitUsd / tokens,
    netUsd: valueAt(trip, 0),
    worstUsd: trip.worst,
    bestUsd: trip.best,
  }
}
