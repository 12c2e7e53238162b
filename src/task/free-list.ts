/**
 * A free list: stores items in reusable slots. Replaces a `Set`, in which V8 keeps old hash tables and their items alive
 * if many items are short-lived: that cost one third of a request.
 */
export class FreeList<A> {
  private readonly slots: (A | undefined)[] = []
  private readonly free: number[] = []

  /** Returns the number of the item's slot. */
  add(item: A): number {
    const slot = this.free.pop() ?? this.slots.length
    this.slots[slot] = item
    return slot
  }

  /** Must be called once per `add`: a slot that is removed twice would be used for two items. */
  remove(slot: number): void {
    this.slots[slot] = undefined
    this.free.push(slot)
  }

  items(): readonly A[] {
    return this.slots.filter((item) => item !== undefined)
  }
}
