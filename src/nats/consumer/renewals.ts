/** A renewal of a lease that was sent. */
export interface SentRenewal {
  /** Monotonic, in ms. */
  readonly at: number
  readonly isPing: boolean
}

/** The renewals of a session that have no reply yet. Replies arrive in order; one may be lost. */
export class Renewals {
  private readonly sent = new Map<number, SentRenewal>()
  private last = 0
  private publications = 0

  /** Registers the next renewal. `since`: what the gateway need not report again. */
  next(isPing: boolean, at: number): { readonly number: number; readonly since: number } {
    const number = ++this.last
    this.onSent(number, at, isPing)
    return { number, since: this.publications }
  }

  onSent(number: number, at: number, isPing = false): void {
    this.sent.set(number, { at, isPing })
  }

  /** The renewal of a reply, and forgets the earlier ones; `undefined` if it is unknown. */
  onReply(number: number): SentRenewal | undefined {
    const renewal = this.sent.get(number)
    if (renewal === undefined) return undefined
    let isPing = false
    for (const [each, { isPing: isEachPing }] of this.sent) {
      if (each > number) break
      isPing ||= isEachPing
      this.sent.delete(each)
    }
    return { ...renewal, isPing }
  }

  /** `publications`: the number of price updates that the gateway had published. */
  onRenewed(publications: number): void {
    this.publications = publications
  }
}
