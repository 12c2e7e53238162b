/** A load of a transport that the test ends. */
export class ManualLoad<T> {
  /** How often a load was started. */
  starts = 0
  private readonly ends: {
    readonly succeed: (transport: T) => void
    readonly fail: (thrown: Error) => void
  }[] = []

  readonly start = (): Promise<T> => {
    this.starts++
    return new Promise((succeed, fail) => this.ends.push({ succeed, fail }))
  }

  /** Ends the load in progress with its transport. */
  succeed(transport: T): void {
    this.ends.at(-1)?.succeed(transport)
  }

  /** Ends the load in progress with an error. */
  fail(message: string): void {
    this.ends.at(-1)?.fail(new Error(message))
  }
}
