/** The gateway of the open session, for the requests of the same client. */
export class FollowedGateway {
  private readonly listeners = new Set<() => void>()
  /** `undefined` while no session is open. */
  id: string | undefined

  follow(id: string): void {
    this.id = id
  }

  /** The session has ended: requests to this gateway need not wait. */
  lose(id: string): void {
    if (this.id !== id) return
    this.id = undefined
    for (const listener of [...this.listeners]) listener()
  }

  /** Calls back when the gateway is lost. Returns the function that stops it. */
  onLost(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}
