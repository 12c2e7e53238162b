import type { Address } from '../../domain/address.js'

interface Probe {
  readonly base: Address
  /** The number of answers to earlier frames that may still arrive. */
  earlier: number
}

/**
 * The probes of one connection that wait for an answer. A probe subscribes again to a topic. Answers look alike, so
 * they are matched by order: the service answers the frames of a connection in order.
 */
export class Probes {
  private readonly pending: Probe[] = []

  get isPending(): boolean {
    return this.pending.length > 0
  }

  /** `unanswered`: the number of other frames that wait for an answer. */
  start(base: Address, unanswered: number): void {
    this.pending.push({ base, earlier: unanswered + this.pending.length })
  }

  /** True if an error text may be about this topic, because a probe subscribes to it. */
  has(base: Address): boolean {
    return this.pending.some((probe) => probe.base === base)
  }

  /** Called for each confirmation. Returns true if it answers a probe. */
  onConfirmation(): boolean {
    const isAnswered = this.pending[0]?.earlier === 0
    if (isAnswered) this.pending.shift()
    this.countAnswer()
    return isAnswered
  }

  /** An error text answers an earlier frame, or is no answer. */
  onErrorText(): void {
    this.countAnswer()
  }

  clear(): void {
    this.pending.length = 0
  }

  private countAnswer(): void {
    for (const probe of this.pending) probe.earlier = Math.max(0, probe.earlier - 1)
  }
}
