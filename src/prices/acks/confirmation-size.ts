import type { Topic } from '../../domain/topic.js'

/** `{"subscriptions":[]}`, with spaces, in bytes. */
const overhead = 32

/** A topic in a confirmation, in bytes: with its quote address, quotation marks, comma and space. */
const listedSize = (topic: Topic): number => topic.length + 48

/** An upper bound of the size of a confirmation that lists all topics of a connection, in bytes. */
export class ConfirmationSize {
  private listed = 0

  add(topic: Topic): void {
    this.listed += listedSize(topic)
  }

  remove(topic: Topic): void {
    this.listed -= listedSize(topic)
  }

  /** The size with one more topic. */
  with(topic: Topic): number {
    return overhead + this.listed + listedSize(topic)
  }
}
