import type { ConsumerMessageOf } from '../../../wire/codec/nats/messages.js'

type RenewalReply = Pick<ConsumerMessageOf<'renewed'>, 'number' | 'publications' | 'part' | 'parts'>

/** The renewals of a session that have no reply yet. Replies arrive in order; one may be lost. */
export class Renewals {
  /** When each was sent, by its number: monotonic, in ms. */
  private readonly sent = new Map<number, number>()
  private last = 0
  private publications = 0
  /** The last part of a reply that followed all parts before it. */
  private previousPart = { number: 0, part: 0 }

  /** Registers the next renewal. `since`: the updates up to this number need not be reported again. */
  next(at: number): { readonly number: number; readonly since: number } {
    const number = ++this.last
    this.onSent(number, at)
    return { number, since: this.publications }
  }

  onSent(number: number, at: number): void {
    this.sent.set(number, at)
  }

  /** Returns when the renewal of a reply was sent, and forgets earlier renewals; `undefined` if the renewal is unknown. */
  onReply(number: number): number | undefined {
    const sentAt = this.sent.get(number)
    if (sentAt === undefined) return undefined
    for (const each of this.sent.keys()) {
      if (each > number) break
      this.sent.delete(each)
    }
    return sentAt
  }

  /** A reply, or a part of it. `publications`: the number of price updates that the gateway had published. */
  onRenewed({ number, publications, part = 1, parts = 1 }: RenewalReply): void {
    const { previousPart } = this
    const isNext = part === 1 || (previousPart.number === number && previousPart.part === part - 1)
    this.previousPart = { number, part: isNext ? part : 0 }
    // If a part is lost, the gateway reports the same updates again.
    if (isNext && part === parts) this.publications = publications
  }
}
