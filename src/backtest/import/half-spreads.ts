/** More are thinned: each second one is kept. */
const maxKept = 20_000

/** The half spreads of quotes, of which the median is kept in bounded memory: those of each so many rows. */
export class HalfSpreads {
  private kept: number[] = []
  private every = 1
  private count = 0

  /** A quote whose bid is above its ask has none. */
  add(bid: number, ask: number): void {
    if (!(ask >= bid) || this.count++ % this.every > 0) return
    this.kept.push(((ask - bid) / (ask + bid)) * 10_000)
    if (this.kept.length < maxKept) return
    this.kept = this.kept.filter((_, index) => index % 2 === 0)
    this.every *= 2
  }

  /** In basis points of the midpoint; undefined without a quote. */
  get medianBps(): number | undefined {
    const sorted = this.kept.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)]
  }
}
