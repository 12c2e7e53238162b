/** Holds back whatever waits for `opened` while it is closed. It is open at first. */
export class Gate {
  /** Resolves when the gate is open. */
  opened = Promise.resolve()
  private release: (() => void) | undefined

  close(): void {
    if (this.release !== undefined) return
    this.opened = new Promise((resolve) => (this.release = resolve))
  }

  open(): void {
    this.release?.()
    this.release = undefined
  }
}
