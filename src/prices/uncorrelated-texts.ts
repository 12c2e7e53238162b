import { truncate } from '../errors/text.js'

/** How many are kept. */
const limit = 16

/** The error texts of this connection that could not be attributed: one of them may be a waiting topic's answer. */
export class UncorrelatedTexts {
  private kept: readonly { readonly at: number; readonly text: string }[] = []

  get isEmpty(): boolean {
    return this.kept.length === 0
  }

  add(text: string, now: number): void {
    this.kept = [...this.kept.slice(1 - limit), { at: now, text: truncate(text) }]
  }

  since(time: number): readonly string[] {
    return this.kept.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  clear(): void {
    this.kept = []
  }
}
