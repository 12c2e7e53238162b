/** A value of an account. */
interface Valued {
  readonly at: number
  readonly equityUsd: number
  readonly isCurrent: boolean
}

/** The most points of a curve. */
export const maxPoints = 2_000

/**
 * The curve of a run of any length, in constant memory: of each step of time the lowest and the highest current value, and one that is
 * not current. The first and the last value are always there.
 */
export class Curve<V extends Valued> {
  private first: V | undefined
  private last: V | undefined
  private points: readonly V[] = []
  /** Those after `points`. */
  private added: V[] = []
  /** In ms. */
  private step = 1

  add(value: V): void {
    this.first ??= value
    this.last = value
    if (this.added.push(value) >= maxPoints) this.thin()
  }

  /** In order, at most `maxPoints`. */
  result(): readonly V[] {
    this.thin()
    const ends = [this.first, this.last].filter((end) => end !== undefined)
    return [...new Set([...ends.slice(0, 1), ...this.points, ...ends.slice(1)])]
  }

  private thin(): void {
    const all = [...this.points, ...this.added]
    let points = this.step === 1 ? all : extremes(all, this.step)
    while (points.length > maxPoints - 2) {
      this.step *= 2
      points = extremes(points, this.step)
    }
    this.points = points
    this.added = []
  }
}

const extremes = <V extends Valued>(values: readonly V[], step: number): V[] => {
  const kept: V[] = []
  let index = 0
  while (index < values.length) {
    const bucket: V[] = []
    const number = Math.floor((values[index]?.at ?? 0) / step)
    for (let value = values[index]; value !== undefined; value = values[++index]) {
      if (Math.floor(value.at / step) !== number) break
      bucket.push(value)
    }
    const current = bucket.filter(({ isCurrent }) => isCurrent)
    const wanted = new Set([
      current.reduce<V | undefined>(
        (a, b) => (a === undefined || b.equityUsd < a.equityUsd ? b : a),
        undefined,
      ),
      current.reduce<V | undefined>(
        (a, b) => (a === undefined || b.equityUsd > a.equityUsd ? b : a),
        undefined,
      ),
      bucket.find(({ isCurrent }) => !isCurrent),
    ])
    kept.push(...bucket.filter((value) => wanted.has(value)))
  }
  return kept
}
