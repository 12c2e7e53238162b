/** A transport that is loaded when it is first needed, because the packages below it take most of the start-up time. */
export class LazyTransport<T extends { close(): Promise<void> }> {
  private current: T | undefined
  private loading: Promise<T> | undefined
  private isClosed = false

  constructor(private readonly importTransport: () => Promise<T>) {}

  /** The transport, once it has been loaded. */
  get loaded(): T | undefined {
    return this.current
  }

  /** Rejects if the transport cannot be loaded, after which the next call tries again, and after `close`. */
  load(): Promise<T> {
    if (this.isClosed) return Promise.reject(closedError())
    this.loading ??= this.importOnce()
    return this.loading
  }

  /** Resolves when no load is in progress, and all connections are closed. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.loading?.catch(() => undefined)
    await this.current?.close()
  }

  private async importOnce(): Promise<T> {
    try {
      const transport = await this.importTransport()
      if (this.isClosed) throw closedError()
      this.current = transport
      return transport
    } catch (thrown) {
      this.loading = undefined
      throw thrown
    }
  }
}

const closedError = (): Error => new Error('the transport is closed')
