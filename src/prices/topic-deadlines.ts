import type { TopicState } from './topics.js'

/** Topics whose deadline is this near are looked at together, in ms: thousands of topics need no timer each. */
const lookAhead = 50

const notQueued = -1

/**
 * The topics that have a deadline, as a binary heap: one timer serves all of them, and a deadline costs the same with one
 * topic and with 100 000. A price postpones the deadline of its topic without any work here. The queued time may therefore be
 * too early, never too late. All times are monotonic, in ms.
 */
export class TopicDeadlines {
  // Three arrays instead of one of objects: numbers take 8 bytes in an array, and more as a field.
  private readonly topics: TopicState[] = []
  private readonly times: number[] = []
  /** Topics with the same time keep the order in which they were queued. */
  private readonly orders: number[] = []
  private added = 0

  /** The earliest queued time; `Infinity` without topics. */
  get next(): number {
    return this.times[0] ?? Infinity
  }

  /** Queues a topic, or moves it to an earlier time. A later time and `Infinity` have no effect. */
  add(topic: TopicState, time: number): void {
    const index = topic.deadlineIndex
    if (index === notQueued) {
      if (time < Infinity) this.moveUp(topic, time, this.added++, this.topics.length)
    } else if (time < this.timeAt(index)) {
      this.moveUp(topic, time, this.orderAt(index), index)
    }
  }

  /** Has no effect on a topic that is not queued. */
  delete(topic: TopicState): void {
    const index = topic.deadlineIndex
    if (index === notQueued) return
    topic.deadlineIndex = notQueued
    const last = this.topics.pop()
    const time = this.times.pop() ?? Infinity
    const order = this.orders.pop() ?? 0
    if (last === undefined || last === topic) return
    this.moveUp(last, time, order, index)
    this.moveDown(last, time, order, last.deadlineIndex)
  }

  clear(): void {
    for (const topic of this.topics) topic.deadlineIndex = notQueued
    for (const array of [this.topics, this.times, this.orders]) array.length = 0
  }

  /** Removes and returns the topics whose queued time has come, or is near, in the order of these times. */
  takeDue(now: number): readonly TopicState[] {
    const due: TopicState[] = []
    for (;;) {
      const [topic] = this.topics
      if (topic === undefined || this.next > now + lookAhead) return due
      this.delete(topic)
      due.push(topic)
    }
  }

  private moveUp(topic: TopicState, time: number, order: number, from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.isAfter(parent, time, order)) break
      this.move(parent, index)
      index = parent
    }
    this.put(topic, time, order, index)
  }

  private moveDown(topic: TopicState, time: number, order: number, from: number): void {
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      const child = this.isAfter(left, this.timeAt(right), this.orderAt(right)) ? right : left
      if (child >= this.topics.length || this.isAfter(child, time, order)) break
      this.move(child, index)
      index = child
    }
    this.put(topic, time, order, index)
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
    const topic = this.topics[from]
    if (topic !== undefined) this.put(topic, this.timeAt(from), this.orderAt(from), to)
  }

  private put(topic: TopicState, time: number, order: number, index: number): void {
    this.topics[index] = topic
    this.times[index] = time
    this.orders[index] = order
    topic.deadlineIndex = index
  }
}
