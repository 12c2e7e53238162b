/** A client in the comparison. */
export interface ComparedClient {
  readonly name: string
  /** File in `clients`, without its extension. */
  readonly program: string
  /** Package whose version is shown. */
  readonly packageName: string
  /** A topic can have several subscribers. */
  readonly canShare: boolean
}

export const clients: readonly ComparedClient[] = [
  { name: '**svc-streams**', program: 'svc-streams', packageName: 'svc-streams', canShare: true },
  { name: 'hand-written, `ws`', program: 'hand-written', packageName: 'ws', canShare: false },
  {
    name: '`rxjs/webSocket` `multiplex`, `rxjs`',
    program: 'rxjs-multiplex',
    packageName: 'rxjs',
    canShare: true,
  },
  { name: 'ccxt', program: 'ccxt', packageName: 'ccxt', canShare: false },
  {
    name: 'reconnecting-websocket',
    program: 'reconnecting-websocket',
    packageName: 'reconnecting-websocket',
    canShare: false,
  },
  { name: 'partysocket', program: 'partysocket', packageName: 'partysocket', canShare: false },
]
