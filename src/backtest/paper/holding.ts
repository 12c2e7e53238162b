import type { Side } from './orders.js'

/** A quantity and its cost. Changed in place. */
export class Holding {
  /** Base-token units; negative for a short position. */
  quantity = 0n
  /** What was paid for the quantity, without fees, as an integer of any unit; negative for a short position. */
  cost = 0n

  /** Changes the quantity by a fill, and the cost by its value, or in proportion if the fill reduces the position. */
  trade(side: Side, quantity: bigint, value: bigint): void {
    const change = side === 'buy' ? quantity : -quantity
    const paid = side === 'buy' ? value : -value
    const after = this.quantity + change
    if (!this.isReducedBy(side)) this.cost += paid
    // The division is the only rounding of the account. A position that is closed has no cost.
    else if (after === 0n || after > 0n === this.quantity > 0n)
      this.cost = (this.cost * after) / this.quantity
    else this.cost = (paid * after) / change
    this.quantity = after
  }

  isReducedBy(side: Side): boolean {
    return side === 'buy' ? this.quantity < 0n : this.quantity > 0n
  }
}
