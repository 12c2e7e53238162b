import type { Address, Topic } from 'svc-streams'
import { eventually } from '../../support/time/eventually.js'
import { FleetProcess } from './fleet-process.js'
import type { Line, PriceLine } from './lines.js'

/** A consumer in a process of its own. */
export class ConsumerProcess extends FleetProcess {
  constructor(args: readonly unknown[], onFinished: (kill: () => void) => void) {
    super('consumer', args, onFinished)
  }

  subscribe(topic: Topic): void {
    this.send({ subscribe: topic })
  }

  unsubscribe(topic: Topic): void {
    this.send({ unsubscribe: topic })
  }

  /** The events of one topic, or of all. */
  events(topic?: Topic): readonly PriceLine[] {
    return this.lines.filter(
      (line): line is PriceLine => line.type === 'price' && (topic === undefined || line.topic === topic),
    )
  }

  /** Waits for the first event with this tag from a time on, in ms since the epoch. */
  async next(tag: string, since: number): Promise<PriceLine> {
    const find = () => this.events().find((event) => event.at >= since && event.tag === tag)
    await eventually(() => find() !== undefined).catch(() => {
      const [tags, problems] = [this.events().map((event) => event.tag), this.output]
      throw new Error(`no ${tag}; events: ${tags.slice(-20).join()}\n${problems}`)
    })
    const event = find()
    if (event === undefined) throw new Error('an event does not disappear')
    return event
  }

  /** Waits until each topic has a price from a time on. */
  async pricesSince(since: number, ...topics: readonly Topic[]): Promise<void> {
    await eventually(() =>
      topics.every((topic) => this.events(topic).some(({ at, tag }) => at >= since && tag === 'Right')),
    )
  }

  /** Requests a depth. Resolves to `Right` or the tag of the error. */
  async depth(mint: Address): Promise<Extract<Line, { readonly type: 'depth' }>> {
    const find = () => this.lines.slice(count).find((line) => line.type === 'depth')
    const count = this.lines.length
    this.send({ depth: mint })
    await eventually(() => find() !== undefined)
    const line = find()
    if (line?.type !== 'depth') throw new Error('a response does not disappear')
    return line
  }
}
