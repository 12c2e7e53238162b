/** The sequence whose rows of each topic and mint are played, by the name in lower case. */
export type Owners = Map<string, Sequence>

/**
 * The recordings of one recorder, in order: each continues the one before it. Several sequences are merged by time. If they
 * have the same topic, one of them owns it at a time.
 */
export class Sequence {
  /** True once it has no more lines. */
  isOver = false

  constructor(readonly owners: Owners) {}

  owns(name: string): boolean {
    return (this.owners.get(name) ?? this.owners.get(name.toLowerCase())) === this
  }

  /** Becomes the owner of a topic or mint, unless its owner has more lines. True if it owns the name now. */
  claim(name: string): boolean {
    const key = name.toLowerCase()
    const owner = this.owners.get(key)
    if (owner !== undefined && !owner.isOver) return owner === this
    this.owners.set(key, this)
    return true
  }

  ownsAny(names: readonly string[]): boolean {
    return names.some((name) => this.owns(name))
  }
}
