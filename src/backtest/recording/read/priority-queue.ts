/** Items of which the first one in an order can be taken: a binary heap. */
export class PriorityQueue<T> {
  /** `items`: taken over, and put in order. */
  constructor(
    private readonly compare: (a: T, b: T) => number,
    readonly items: T[] = [],
  ) {
    for (let index = (items.length >> 1) - 1; index >= 0; index--) this.sink(items[index] as T, index)
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    const { items, compare } = this
    let index = items.length
    items.push(item)
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = items[above] as T
      if (compare(item, parent) >= 0) break
      items[index] = parent
      index = above
    }
    items[index] = item
  }

  pop(): T | undefined {
    const { items } = this
    const first = items[0]
    const last = items.pop()
    if (last !== undefined && items.length > 0) this.sink(last, 0)
    return first
  }

  /** Puts the first item where it belongs, after its order has changed. */
  sinkFirst(): void {
    const { items } = this
    if (items.length > 1) this.sink(items[0] as T, 0)
  }

  /** Puts an item at an index, or below it, where no child comes before it. */
  private sink(item: T, start: number): void {
    const { items, compare } = this
    let index = start
    for (let below = 2 * index + 1; below < items.length; below = 2 * index + 1) {
      const right = items[below + 1]
      if (right !== undefined && compare(right, items[below] as T) < 0) below++
      const child = items[below] as T
      if (compare(child, item) >= 0) break
      items[index] = child
      index = below
    }
    items[index] = item
  }
}
