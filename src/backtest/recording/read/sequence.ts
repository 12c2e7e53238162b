import type { RecordingHeader, Row } from '../format/row.js'

/**
 * The sequence whose rows of each topic and mint are played, by the name in lower case, and the sequences that have the name
 * too, in the order of their starts.
 */
export class Owners extends Map<string, Sequence> {
  readonly waiting = new Map<string, readonly Sequence[]>()
}

/**
 * The recordings of one recorder, in order: each continues the one before it. Several sequences are merged by time. If they
 * have the same topic, one of them owns it at a time.
 */
export class Sequence {
  /** True once it has no more lines. */
  isOver = false
  /** The latest time of its rows so far, in ms since the Unix epoch. */
  latest = -Infinity
  /** The last line that was played. */
  last: RecordingHeader | Row | undefined

  constructor(
    readonly owners: Owners,
    /** In ms since the Unix epoch. */
    private readonly start = 0,
  ) {}

  owns(name: string): boolean {
    return (this.owners.get(name) ?? this.owners.get(name.toLowerCase())) === this
  }

  ownsAny(): boolean {
    for (const owner of this.owners.values()) if (owner === this) return true
    return false
  }

  /**
   * Becomes the owner of a topic or mint, or waits until its owner and those that wait already have no more lines. True if it
   * owns the name at a time, in ms since the Unix epoch.
   */
  claim(name: string, at: number): boolean {
    const { owners } = this
    const key = name.toLowerCase()
    const owner = owners.get(key)
    if (owner === this) return true
    const waiting = (owners.waiting.get(key) ?? []).filter(({ isOver }) => !isOver)
    const isFree = owner === undefined || (owner.isOver && this.isAfter(owner, at))
    const isOwner = isFree && (waiting[0] ?? this) === this
    if (isOwner) owners.set(key, this)
    if (isOwner || !waiting.includes(this))
      owners.waiting.set(key, isOwner ? waiting.slice(1) : [...waiting, this])
    return isOwner
  }

  /** True if another sequence has no row of this time, or ended before this one started. */
  private isAfter({ start, latest }: Sequence, at: number): boolean {
    return at > latest || (this.start > start && this.start >= latest)
  }
}
