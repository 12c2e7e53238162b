export interface Secret {
  readonly text: string
  /** The length of the shortest piece of `text` that is found: at least `minRun`. */
  readonly run: number
}

/** A piece of a text: from `start` to before `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

interface Occurrence {
  readonly secret: Secret
  readonly at: number
}

/** Number of characters of a key of the index. */
const keyLength = 4

/** Distance of two indexed keys. Each run of `minRun` characters contains a whole key. */
const stride = 5

export const minRun = stride + keyLength - 1

/** Finds runs of many secrets in a text in one pass. */
export class RunIndex {
  private readonly occurrences = new Map<number, Occurrence[]>()
  private longest = 0

  get isEmpty(): boolean {
    return this.occurrences.size === 0
  }

  /** The largest `run` of a secret. */
  get longestRun(): number {
    return this.longest
  }

  /** A secret that is shorter than `minRun` is not found. */
  add(secret: Secret): void {
    this.longest = Math.max(this.longest, secret.run)
    for (let at = 0; at + keyLength <= secret.text.length; at += stride) {
      const key = keyAt(secret.text, at)
      const others = this.occurrences.get(key)
      if (others === undefined) this.occurrences.set(key, [{ secret, at }])
      else others.push({ secret, at })
    }
  }

  /** The runs in a text, ordered by their ends. The text outside of them contains no run. */
  rangesIn(text: string): readonly Range[] {
    const ranges: Range[] = []
    for (let at = 0; at + keyLength <= text.length; at++) {
      const range = this.runAt(text, at)
      if (range === undefined) continue
      ranges.push(range)
      at = range.end - 1
    }
    return ranges
  }

  /** The union of all runs that include the key at this offset. */
  private runAt(text: string, at: number): Range | undefined {
    let union: Range | undefined
    for (const { secret, at: from } of this.occurrences.get(keyAt(text, at)) ?? []) {
      const { start, end } = commonRun(text, at, secret.text, from)
      if (end - start < secret.run) continue
      union = { start: Math.min(start, union?.start ?? start), end: Math.max(end, union?.end ?? end) }
    }
    return union
  }
}

/** A number for the characters at an offset. Other characters may have the same number. */
const keyAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 127) << 21) |
  ((text.charCodeAt(at + 1) & 127) << 14) |
  ((text.charCodeAt(at + 2) & 127) << 7) |
  (text.charCodeAt(at + 3) & 127)

/** The piece of `text` around `at` that equals the piece of `secret` around `from`; empty if the characters differ. */
const commonRun = (text: string, at: number, secret: string, from: number): Range => {
  let [start, end] = [at, at]
  while (end < text.length && end - at + from < secret.length && text[end] === secret[end - at + from]) end++
  if (end < at + keyLength) return { start, end: start }
  while (start > 0 && start - at + from > 0 && text[start - 1] === secret[start - at + from - 1]) start--
  return { start, end }
}
