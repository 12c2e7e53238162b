import type { CoreTimes } from './core.js'
import { isSameTick, type Event } from './events.js'
import { OrderRun } from './run-order.js'

export interface OrdersResult {
  /** The number of orders that can happen. */
  readonly orders: number
  /** The first order that violates a rule. */
  readonly failure: string | undefined
}

/** Runs every order of up to `length` events that can happen. */
export const runEveryOrder = (length: number, times: CoreTimes): OrdersResult => {
  const { random } = Math
  // The backoff takes it: the delays before dials are the same in each run.
  Math.random = () => 0.5
  try {
    return new Orders(length, times).run()
  } finally {
    Math.random = random
  }
}

class Orders {
  private orders = 0
  private failure: string | undefined

  constructor(
    private readonly length: number,
    private readonly times: CoreTimes,
  ) {}

  run(): OrdersResult {
    this.extend([], new OrderRun(this.times).possible)
    return { orders: this.orders, failure: this.failure }
  }

  private extend(prefix: readonly Event[], events: readonly Event[]): void {
    for (const event of events) {
      const isLast = prefix.length + 1 === this.length
      // The tick of the last event ends.
      if (this.failure !== undefined || (isLast && isSameTick(event))) continue
      const order = [...prefix, event]
      const run = this.replay(order)
      const { possible } = run
      if (!isSameTick(event)) {
        this.orders++
        run.finish()
      }
      if (run.problem !== undefined) this.failure = run.description
      else if (!isLast) this.extend(order, possible)
    }
  }

  /** Only the last event is checked: the others were, when they were the last one. */
  private replay(order: readonly Event[]): OrderRun {
    const run = new OrderRun(this.times)
    for (const [index, event] of order.entries()) run.perform(event, index === order.length - 1)
    return run
  }
}
