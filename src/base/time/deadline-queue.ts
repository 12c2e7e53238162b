/** An item with a deadline. */
export interface DeadlineItem {
  /** The time for which the item is queued, or `notQueued`. Rounded down in a slot: V8 allocates 16 bytes unless it is an integer. */
  queuedFor: number
}

export const notQueued = -1

/**
 * Items with deadlines: one timer serves all of them, and a deadline costs the same with one item and with 100 000. An
 * event that postpones a deadline need not update the queue: the queued time may be too early, never too late. All
 * times are monotonic, in ms.
 */
export interface DeadlineQueue<Item extends DeadlineItem> {
  /** The latest time at which `takeDue` must be called; `Infinity` if the queue is empty. */
  readonly next: () => number
  /** Queues an item, or moves it to an earlier time. A later time and `Infinity` have no effect. */
  readonly add: (item: Item, time: number) => void
  /** Has no effect on an item that is not queued. */
  readonly delete: (item: Item) => void
  /** Removes and returns the items whose time has come. An item may be returned once up to 50 ms earlier. */
  readonly takeDue: (now: number) => readonly Item[]
  readonly clear: () => void
}

/**
 * The length of a slot, in ms. The deadlines in a slot are taken together: thousands of postponed deadlines need no
 * timer each.
 */
const slotTime = 50

const slotOf = (time: number): number => Math.floor(time / slotTime)

export const createDeadlineQueue = <Item extends DeadlineItem>(): DeadlineQueue<Item> => {
  const slots = new Map<number, Set<Item>>()
  /** The items that were added to a slot after it was taken. They are returned at their exact times, not together. */
  const late = new Set<Item>()
  /** The last slot that was taken. */
  let taken = -Infinity
  let next = Infinity

  const remove = (item: Item): void => {
    if (!late.delete(item)) slots.get(slotOf(item.queuedFor))?.delete(item)
    item.queuedFor = notQueued
  }

  const takeDue = (now: number): readonly Item[] => {
    const due: Item[] = []
    next = Infinity
    for (const item of late) {
      if (item.queuedFor > now) next = Math.min(next, item.queuedFor)
      else due.push(item)
    }
    taken = slotOf(now)
    for (const [slot, items] of slots) {
      if (slot > taken) {
        next = Math.min(next, slot * slotTime)
        continue
      }
      slots.delete(slot)
      for (const item of items) due.push(item)
    }
    for (const item of due) {
      late.delete(item)
      item.queuedFor = notQueued
    }
    return due
  }

  return {
    next: () => next,
    add: (item, time) => {
      if (time === Infinity || (item.queuedFor !== notQueued && time >= item.queuedFor)) return
      remove(item)
      const slot = slotOf(time)
      item.queuedFor = slot <= taken ? time : Math.floor(time)
      if (slot <= taken) late.add(item)
      else slots.set(slot, (slots.get(slot) ?? new Set()).add(item))
      next = Math.min(next, time)
    },
    delete: remove,
    takeDue,
    clear: () => {
      takeDue(Infinity)
      taken = -Infinity
    },
  }
}
