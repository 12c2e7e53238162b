/**
 * Detects the answer to a probe: the pong of a ping, or the confirmation of a repeated subscribe frame. Frames that the
 * service sent before it received the probe arrive before the answer, so all frames after it are newer than the probe.
 */
export class AnswerCounter {
  private probes = 0
  private answers = 0
  private awaited = 0

  /** True from `await` until the answer to the last probe arrives. */
  get isPending(): boolean {
    return this.answers < this.awaited
  }

  onProbe(): void {
    this.probes++
  }

  /** An answer without a probe does not count. */
  onAnswer(): void {
    if (this.answers < this.probes) this.answers++
  }

  /** Waits for the answer to the last probe. Returns a function that is true until it arrives. */
  await(): () => boolean {
    this.awaited = this.probes
    return this.missing()
  }

  /** Returns a function that is true until the answer to the last probe arrives. */
  missing(): () => boolean {
    const { probes } = this
    return () => this.answers < probes
  }
}
