/** Deadlines that are this near are taken together, in ms: thousands of them need no timer each. */
const lookAhead = 50

export const notQueued = -1

/** An item with a deadline. */
export interface DeadlineItem {
  /** Of the queue alone; `notQueued` outside of it. */
  deadlineIndex: number
}

/**
 * Items with deadlines, as a binary heap: one timer serves all of them, and a deadline costs the same with one item and with
 * 100 000. An event that postpones a deadline need not say so: the queued time may be too early, never too late. All times are
 * monotonic, in ms.
 */
export class DeadlineQueue<Item extends DeadlineItem> {
  // Three arrays instead of one of objects: numbers take 8 bytes in an array, and more as a field.
  private readonly items: Item[] = []
  private readonly times: number[] = []
  /** Items with the same time keep the order in which they were queued. */
  private readonly orders: number[] = []
  private added = 0

  /** The earliest queued time; `Infinity` if the queue is empty. */
  get next(): number {
    return this.times[0] ?? Infinity
  }

  /** Queues an item, or moves it to an earlier time. A later time and `Infinity` have no effect. */
  add(item: Item, time: number): void {
    const index = item.deadlineIndex
    if (index === notQueued) {
      if (time < Infinity) this.moveUp(item, time, this.added++, this.items.length)
    } else if (time < this.timeAt(index)) {
      this.moveUp(item, time, this.orderAt(index), index)
    }
  }

  /** Has no effect on an item that is not queued. */
  delete(item: Item): void {
    const index = item.deadlineIndex
    if (index === notQueued) return
    item.deadlineIndex = notQueued
    const last = this.items.pop()
    const time = this.times.pop() ?? Infinity
    const order = this.orders.pop() ?? 0
    if (last === undefined || last === item) return
    this.moveUp(last, time, order, index)
    this.moveDown(last, time, order, last.deadlineIndex)
  }

  clear(): void {
    for (const item of this.items) item.deadlineIndex = notQueued
    for (const array of [this.items, this.times, this.orders]) array.length = 0
  }

  /** Removes and returns the items whose time has come, or is near, in the order of these times. */
  takeDue(now: number): readonly Item[] {
    const due: Item[] = []
    for (;;) {
      const [item] = this.items
      if (item === undefined || this.next > now + lookAhead) return due
      this.delete(item)
      due.push(item)
    }
  }

  private moveUp(item: Item, time: number, order: number, from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.isAfter(parent, time, order)) break
      this.move(parent, index)
      index = parent
    }
    this.put(item, time, order, index)
  }

  private moveDown(item: Item, time: number, order: number, from: number): void {
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      const child = this.isAfter(left, this.timeAt(right), this.orderAt(right)) ? right : left
      if (child >= this.items.length || this.isAfter(child, time, order)) break
      this.move(child, index)
      index = child
    }
    this.put(item, time, order, index)
  }

  /** False behind the end. */
  private isAfter(index: number, time: number, order: number): boolean {
    const own = this.timeAt(index)
    return own > time || (own === time && this.orderAt(index) > order)
  }

  private timeAt(index: number): number {
    return this.times[index] ?? NaN
  }

  private orderAt(index: number): number {
    return this.orders[index] ?? NaN
  }

  private move(from: number, to: number): void {
    const item = this.items[from]
    if (item !== undefined) this.put(item, this.timeAt(from), this.orderAt(from), to)
  }

  private put(item: Item, time: number, order: number, index: number): void {
    this.items[index] = item
    this.times[index] = time
    this.orders[index] = order
    item.deadlineIndex = index
  }
}
