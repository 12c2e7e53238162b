export const maxPoints = 2_000

/** The equity of an account, or the price of a token. */
export interface Point {
  /** In ms since the Unix epoch. */
  readonly at: number
  /** USD. */
  readonly value: number
  /** False for an equity while the price of a token that is held is not current. */
  readonly isCurrent: boolean
}

/** In constant memory: the first and the last point; of each step of time the lowest and the highest ones, current and not. */
export class Curve {
  first: Point | undefined
  last: Point | undefined
  /** Those since they were last thinned are whole. */
  private points: Point[] = []
  /** In ms. */
  private step = 1

  /** `isWhole`: false keeps the first and the last point alone. */
  constructor(private readonly isWhole = true) {}

  add(point: Point): void {
    this.first ??= point
    this.last = point
    if (this.isWhole && this.points.push(point) >= 2 * maxPoints) this.thin()
  }

  /** In order, at most `maxPoints`. */
  result(): readonly Point[] {
    const { first, last } = this
    if (first === undefined || last === undefined) return []
    this.thin()
    return [...new Set([first, ...this.points, last])]
  }

  private thin(): void {
    if (this.step > 1) this.points = extremes(this.points, this.step)
    while (this.points.length > maxPoints - 2) {
      this.step *= 2
      this.points = extremes(this.points, this.step)
    }
  }
}

/** In order: of each step of time the lowest and the highest point of those that are current, and of the others. */
const extremes = (points: readonly Point[], step: number): Point[] => {
  const kept = new Set<Point>()
  const ends = new Map<boolean, Ends>()
  const keepEnds = (): void => {
    for (const { lowest, highest } of ends.values()) kept.add(lowest).add(highest)
    ends.clear()
  }
  let bucket: number | undefined
  for (const point of points) {
    const { at, value, isCurrent } = point
    const next = Math.floor(at / step)
    if (next !== bucket) keepEnds()
    bucket = next
    const end = ends.get(isCurrent)
    if (end === undefined) ends.set(isCurrent, { lowest: point, highest: point })
    else if (value < end.lowest.value) end.lowest = point
    else if (value > end.highest.value) end.highest = point
  }
  keepEnds()
  return points.filter((point) => kept.has(point))
}

interface Ends {
  lowest: Point
  highest: Point
}
