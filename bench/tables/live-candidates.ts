/** Who takes part in the table of live prices. */
export interface LiveCandidate {
  readonly name: string
  readonly program: string
  readonly path: string
  /** Of the messages that the others get: less for one that would take minutes. */
  readonly share: number
  /** Whether it looks at frames only. */
  readonly floor?: boolean
  readonly note?: string
}

const own = { path: '/', share: 1 }

export const byHand: LiveCandidate = { name: 'by hand', program: 'by-hand', ...own }

export const liveCandidates: readonly LiveCandidate[] = [
  byHand,
  { name: '**svc-streams**', program: 'svc-streams', ...own },
  {
    name: '**svc-streams** over `ws` messages alone',
    program: 'svc-streams-ws',
    ...own,
    note: 'by a transport that is twenty lines of `ws`: without the lane below it.',
  },
  {
    name: '**svc-streams**, each subscriber keeps its last event',
    program: 'svc-streams-keeping',
    ...own,
    note: 'compared with by hand all the same, which keeps nothing.',
  },
  { name: 'floor: counting frames, `ws`', program: 'floor-ws', ...own, floor: true },
  { name: 'floor: counting frames in the TCP chunks', program: 'floor-chunks', ...own, floor: true },
  { name: 'reconnecting-websocket', program: 'reconnecting-websocket', ...own },
  { name: 'partysocket', program: 'partysocket', ...own },
  { name: '`rxjs/webSocket` + Map of Subjects', program: 'rxjs-map', ...own },
  {
    name: '`rxjs/webSocket` `multiplex`',
    program: 'rxjs-multiplex',
    path: '/',
    share: 0.05,
    note: 'it is measured on fewer messages, because each runs through 1000 filters.',
  },
  {
    name: 'ccxt WebSocket client',
    program: 'ccxt',
    ...own,
    note: 'its `WsClient` with the callback that its exchanges use. It brings its own version of `ws`. Its futures are left out: of a burst they keep only the last value.',
  },
  {
    name: 'graphql-ws',
    program: 'graphql-ws',
    path: '/graphql',
    share: 0.5,
    note: 'in its own protocol, whose envelope makes the frames longer.',
  },
  {
    name: 'centrifuge',
    program: 'centrifuge',
    path: '/centrifuge',
    share: 0.5,
    note: 'in its own JSON protocol, whose envelope makes the frames longer.',
  },
]
