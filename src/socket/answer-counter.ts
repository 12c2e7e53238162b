interface Probe {
  readonly id: number
  /** Monotonic, in ms. */
  readonly sentAt: number
  /** False if the answer cannot be told from those to other frames. */
  readonly isRecognisable: boolean
}

/** The maximum number of probes that wait for an answer. The answer to a later one answers the older ones too. */
const maxUnanswered = 64

/**
 * Matches the answers of a service to the probes of one connection: the pong of a ping, or the confirmation of a repeated
 * subscribe frame. Frames that the service sent before it received a probe arrive before its answer, so all frames after
 * the answer were sent after the probe.
 */
export class AnswerCounter {
  private readonly unanswered: Probe[] = []
  private lastId = 0
  private answeredId = 0
  private awaitedId = 0
  /** True once a pong had the payload of a ping. */
  private hasEcho = false

  /** True from `await` until the last probe before it is answered. */
  get isPending(): boolean {
    return this.answeredId < this.awaitedId
  }

  /** Returns the payload by which the answer is recognised. */
  onProbe(sentAt: number, isRecognisable = true): string {
    this.lastId++
    this.unanswered.push({ id: this.lastId, sentAt, isRecognisable })
    if (this.unanswered.length > maxUnanswered) this.unanswered.shift()
    return String(this.lastId)
  }

  /**
   * Returns when the answered probe was sent, or `undefined` if that is unknown. `payload`: of the pong. A service may
   * answer only the latest of several pings, and may send pongs that answer none. Without a payload, answers are in order.
   * Pongs of a service that returns no payloads are in order too, but prove nothing: they may answer no ping.
   */
  onAnswer(payload?: string): number | undefined {
    const index = this.unanswered.findIndex(({ id }) => String(id) === payload)
    const isEcho = index >= 0
    this.hasEcho ||= isEcho
    const isOrdered = payload === undefined || (payload === '' && !this.hasEcho)
    const answered = isOrdered ? this.unanswered.findIndex(({ isRecognisable }) => isRecognisable) : index
    const probe = this.unanswered[answered]
    if (probe === undefined) return undefined
    this.unanswered.splice(0, answered + 1)
    this.answeredId = probe.id
    return isEcho || payload === undefined ? probe.sentAt : undefined
  }

  /** Waits for the answer to the last probe. Returns a function that is true until it arrives. */
  await(): () => boolean {
    this.awaitedId = this.lastId
    return this.missing()
  }

  /** Returns a function that is true until the answer to the last probe arrives. */
  missing(): () => boolean {
    const { lastId } = this
    return () => this.answeredId < lastId
  }
}
