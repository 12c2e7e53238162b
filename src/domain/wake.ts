/** Why connections are checked at once. */
export interface Wake {
  /** The network has returned. */
  readonly isOnline: boolean
  /** How long the page was frozen, in ms: data that arrived meanwhile may be as old. 0 if it was not. */
  readonly frozenMs: number
}
