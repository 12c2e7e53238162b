import { truncate } from '../errors/text.js'

/** The number of texts that are stored. */
const limit = 16

/** The recent error texts of one connection that match no topic. One of them may answer a pending topic. */
export class UncorrelatedTexts {
  private texts: readonly { readonly at: number; readonly text: string }[] = []

  get isEmpty(): boolean {
    return this.texts.length === 0
  }

  add(text: string, now: number): void {
    this.texts = [...this.texts.slice(1 - limit), { at: now, text: truncate(text) }]
  }

  /** `time` is monotonic, in ms. */
  since(time: number): readonly string[] {
    return this.texts.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  clear(): void {
    this.texts = []
  }
}
