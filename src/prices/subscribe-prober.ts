import { subscribeFrame } from '../codec/price-frame.js'
import type { Prober } from '../socket/prober.js'
import type { PendingAcks } from './acks/pending-acks.js'
import { isUnconfirmed, phaseOf, type TopicState } from './topic-state.js'
import type { TopicTable } from './topic-table.js'

/** What a client knows of its service across reconnects. */
export interface ServiceMemory {
  /** True once a probe was answered. */
  answersProbes: boolean
}

/** Probes a service by subscribing again to a topic, because it answers each frame. */
export class SubscribeProber implements Prober {
  constructor(
    private readonly topics: TopicTable,
    private readonly acks: PendingAcks,
    private readonly memory: ServiceMemory,
    private readonly now: () => number,
    private readonly send: (frame: string) => void,
  ) {}

  readonly probe = (): boolean => {
    const state = this.findTopic()
    if (state === undefined) return false
    if (!isUnconfirmed(state)) this.acks.onProbe(state.base, this.now())
    this.send(subscribeFrame(state.topic))
    return true
  }

  /** The answer to a probe of an unconfirmed topic is its confirmation, or a rejection. */
  readonly isRecognisable = (): boolean => {
    const state = this.findTopic()
    return state !== undefined && !isUnconfirmed(state)
  }

  /** Until a probe was answered, only the silence of all topics shows that the connection is lost. */
  readonly isConclusive = (): boolean => this.memory.answersProbes || this.isSilent()

  /** A confirmed topic if there is any: its answer confirms or rejects nothing. */
  private findTopic(): TopicState | undefined {
    let found: TopicState | undefined
    for (const state of this.topics.states) {
      if (state.subscribeSentAt === undefined) continue
      if (!isUnconfirmed(state)) return state
      found = state
    }
    return found
  }

  private isSilent(): boolean {
    for (const state of this.topics.states) {
      const phase = phaseOf(state)
      if (phase !== 'stale' && phase !== 'timed-out') return false
    }
    return true
  }
}
