/** Runs a function at most once per animation frame. A browser has no frames for a hidden page. */
export class RenderScheduler {
  #isRequested = false
  readonly #render: () => void

  constructor(render: () => void) {
    this.#render = render
  }

  /** Runs the function in the next frame. */
  request(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    requestAnimationFrame(() => {
      this.#isRequested = false
      this.#render()
    })
  }
}
