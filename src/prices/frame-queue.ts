import type { TopicState } from './topic-state.js'

/** The topics of one connection that may need a frame, in the order of their requests. */
export class FrameQueue {
  private readonly dueTopics = new Set<TopicState>()
  private readonly repeatedTopics = new Set<TopicState>()

  /** The topics whose frame must not wait. */
  get due(): Iterable<TopicState> {
    return this.dueTopics
  }

  /** The topics with a repeated subscribe frame. It may have to wait for the answers to other subscribe frames. */
  get repeated(): Iterable<TopicState> {
    return this.repeatedTopics
  }

  get hasDue(): boolean {
    return this.dueTopics.size > 0
  }

  get hasRepeated(): boolean {
    return this.repeatedTopics.size > 0
  }

  isDue(state: TopicState): boolean {
    return this.dueTopics.has(state)
  }

  add(state: TopicState): void {
    this.repeatedTopics.delete(state)
    this.dueTopics.add(state)
  }

  addRepeated(state: TopicState): void {
    if (!this.isDue(state)) this.repeatedTopics.add(state)
  }

  delete(state: TopicState): void {
    this.dueTopics.delete(state)
    this.repeatedTopics.delete(state)
  }

  clear(): void {
    this.dueTopics.clear()
    this.repeatedTopics.clear()
  }
}
