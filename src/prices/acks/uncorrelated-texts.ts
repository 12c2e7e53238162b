import { truncate } from '../../errors/text.js'

/** The maximum number of stored texts. */
const limit = 16

/** The recent error texts of one connection that match no topic. One of them may reject a pending topic. */
export class UncorrelatedTexts {
  private texts: readonly { readonly at: number; readonly text: string }[] = []

  get isEmpty(): boolean {
    return this.texts.length === 0
  }

  add(text: string, now: number): void {
    this.texts = [...this.texts.slice(1 - limit), { at: now, text: truncate(text) }]
  }

  /** The texts that arrived at or after `time`. `time` is monotonic, in ms. */
  since(time: number): readonly string[] {
    return this.texts.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  clear(): void {
    this.texts = []
  }
}
