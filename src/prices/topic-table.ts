import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import { ConfirmationSize } from './acks/confirmation-size.js'
import { createTopicState, type TopicState } from './topic-state.js'

/** The topics that one connection keeps, by their base address, in the order of their creation. */
export class TopicTable {
  private readonly byBase = new Map<Address, TopicState>()
  private readonly confirmationSize = new ConfirmationSize()

  get size(): number {
    return this.byBase.size
  }

  get states(): Iterable<TopicState> {
    return this.byBase.values()
  }

  has(base: Address): boolean {
    return this.byBase.has(base)
  }

  get(base: Address): TopicState | undefined {
    return this.byBase.get(base)
  }

  /** Returns `undefined` for a topic that is not requested on this connection. */
  requested(base: Address): TopicState | undefined {
    const state = this.byBase.get(base)
    return state?.subscribeSentAt === undefined ? undefined : state
  }

  /** An upper bound of the size of a confirmation that lists all topics and one more, in bytes. */
  confirmationBytesWith(topic: Topic): number {
    return this.confirmationSize.with(topic)
  }

  /** Adds a topic that is not in the table. */
  create(base: Address, topic: Topic): TopicState {
    const state = createTopicState(base, topic)
    this.byBase.set(base, state)
    this.confirmationSize.add(topic)
    return state
  }

  /** Has no effect on a topic that is not in the table. */
  delete(state: TopicState): void {
    if (this.byBase.delete(state.base)) this.confirmationSize.remove(state.topic)
  }

  clear(): void {
    for (const state of this.byBase.values()) this.delete(state)
  }
}
