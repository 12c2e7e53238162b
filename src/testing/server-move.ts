/** One action of the service in a script. */
export type ServerMove =
  | { readonly _tag: 'Open' }
  | { readonly _tag: 'Text'; readonly frame: string }
  | { readonly _tag: 'Binary'; readonly frame: Uint8Array }
  | { readonly _tag: 'Pong' }
  | { readonly _tag: 'Close'; readonly code: number; readonly reason: string }

const textFrame = (frame: string): ServerMove => ({ _tag: 'Text', frame })

/** The actions of the service, as values of a script. */
export const server = {
  /** Accepts the connection. */
  opens: { _tag: 'Open' } as ServerMove,
  /** Sends a text frame. */
  says: textFrame,
  /** Sends a confirmation that lists these topics. */
  confirms: (...subscriptions: readonly string[]): ServerMove => textFrame(JSON.stringify({ subscriptions })),
  /** Sends a price update; the price is in USD. */
  prices: (topic: string, price: number): ServerMove => textFrame(JSON.stringify({ topic, price })),
  /** Sends a binary frame. */
  sends: (frame: Uint8Array): ServerMove => ({ _tag: 'Binary', frame }),
  /** Sends a pong; for scripts with `answersPings: false`. */
  pongs: { _tag: 'Pong' } as ServerMove,
  /** Closes the connection with a close frame; code 1006 (the default) means without a close frame. */
  closes: (code = 1006, reason = ''): ServerMove => ({ _tag: 'Close', code, reason }),
} as const
