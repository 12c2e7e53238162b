/** One thing that the service at the other end of a scripted socket does. */
export type ServerMove =
  | { readonly _tag: 'Open' }
  | { readonly _tag: 'Text'; readonly frame: string }
  | { readonly _tag: 'Binary'; readonly frame: Uint8Array }
  | { readonly _tag: 'Pong' }
  | { readonly _tag: 'Close'; readonly code: number; readonly reason: string }

const text = (frame: string): ServerMove => ({ _tag: 'Text', frame })

/** The moves of a script, named for what the service does. */
export const server = {
  /** The connection opens. */
  opens: { _tag: 'Open' } as ServerMove,
  /** Any text frame, as it stands. */
  says: text,
  /** A confirmation that lists these topics. */
  confirms: (...subscriptions: readonly string[]): ServerMove => text(JSON.stringify({ subscriptions })),
  /** A price update. */
  prices: (topic: string, price: number): ServerMove => text(JSON.stringify({ topic, price })),
  /** A binary frame. */
  sends: (frame: Uint8Array): ServerMove => ({ _tag: 'Binary', frame }),
  /** A pong, where the script answers pings itself. */
  pongs: { _tag: 'Pong' } as ServerMove,
  /** The connection ends with a close frame; 1006 is without one. */
  closes: (code = 1006, reason = ''): ServerMove => ({ _tag: 'Close', code, reason }),
} as const
