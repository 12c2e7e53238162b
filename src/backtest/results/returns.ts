import type { Point } from './curve.js'

/** A sample is the last `Equity` at or before a multiple of `sampleMs`, if it was current. Two neighbours have a return. */
export interface AnnualFigures {
  /** The growth in a year at the pace of the run, less 1. `null` if it is larger than a number can be. */
  readonly returnRatio: number | null
  /** The deviation of the returns, times the root of the samples a year. `null` below 1e-9. */
  readonly volatility: number | null
  /** Mean / deviation of the returns, times the root of the samples a year. */
  readonly sharpe: number | null
  /** Mean / root of the mean square of the negative returns (others as 0), times that root. */
  readonly sortino: number | null
}

const year = 365 * 86_400_000

/** Fewer samples give no annual figures. */
const minSamples = 30

/** A smaller deviation is the rounding of equal returns. */
const minDeviation = 1e-9

/** Returns between neighbouring samples, by what the annual figures need of them. */
export interface Returns {
  /** The number of samples that were current. */
  readonly samples: number
  /** True if a sample is 0 or less. */
  readonly isMeaningless: boolean
  readonly count: number
  readonly mean: number
  /** The sum of the squares of the differences from the mean. */
  readonly squares: number
  readonly negativeSquares: number
}

const noReturns: Returns = {
  ...{ samples: 0, isMeaningless: false, count: 0, mean: 0, squares: 0, negativeSquares: 0 },
}

const joined = (a: Returns, b: Returns): Returns => {
  const count = a.count + b.count
  const difference = b.mean - a.mean
  return {
    samples: a.samples + b.samples,
    isMeaningless: a.isMeaningless || b.isMeaningless,
    count,
    mean: count === 0 ? 0 : a.mean + (difference * b.count) / count,
    squares: a.squares + b.squares + (count === 0 ? 0 : (difference ** 2 * a.count * b.count) / count),
    negativeSquares: a.negativeSquares + b.negativeSquares,
  }
}

const equalReturns = (value: number, times: number): Returns => ({
  ...{ ...noReturns, count: times, mean: value },
  negativeSquares: Math.min(value, 0) ** 2 * times,
})

/** `null` with too few samples. `spanMs`: the time in which `returnRatio` was reached. */
export const annualFigures = (
  { samples, isMeaningless, count, mean, squares, negativeSquares }: Returns,
  sampleMs: number,
  returnRatio: number | null,
  spanMs: number,
): AnnualFigures | null => {
  if (samples < minSamples || count === 0 || isMeaningless) return null
  const root = Math.sqrt(year / sampleMs)
  const deviation = Math.sqrt(squares / count)
  const isSteady = deviation < minDeviation
  const downside = Math.sqrt(negativeSquares / count)
  const growth = returnRatio === null || spanMs <= 0 ? NaN : Math.max(0, 1 + returnRatio) ** (year / spanMs)
  return {
    returnRatio: Number.isFinite(growth) ? growth - 1 : null,
    volatility: isSteady ? null : deviation * root,
    sharpe: isSteady ? null : (mean / deviation) * root,
    sortino: downside < minDeviation ? null : (mean / downside) * root,
  }
}

/** The samples of a run, in constant memory. */
export class Samples {
  private last: Point | undefined
  /** The value of the sample at the last multiple; undefined if it was not current. */
  private sample: number | undefined
  private passed = noReturns

  constructor(private readonly sampleMs: number) {}

  add(equity: Point): void {
    if (this.last !== undefined) this.pass(this.last, equity.at)
    this.last = equity
  }

  /** Adds those of another run. There is no return from one run to the other. */
  include(returns: Returns): void {
    this.passed = joined(this.passed, returns)
  }

  /** Those so far. The last `Equity` is the sample of its own time, unless another event follows. */
  returns(): Returns {
    const all = Object.assign(new Samples(this.sampleMs), this)
    if (all.last !== undefined) all.pass(all.last, all.last.at + 1)
    return all.passed
  }

  /** Takes the samples of an `Equity`, at the multiples from it on that are before `until`. */
  private pass({ at, value, isCurrent }: Point, until: number): void {
    const samples = Math.ceil(until / this.sampleMs) - Math.ceil(at / this.sampleMs)
    if (samples <= 0) return
    const before = this.sample
    this.sample = isCurrent ? value : undefined
    if (!isCurrent) return
    const first = before === undefined ? noReturns : equalReturns(value / before - 1, 1)
    const returns = joined(first, equalReturns(0, samples - 1))
    this.passed = joined(this.passed, { ...returns, samples, isMeaningless: value <= 0 })
  }
}
