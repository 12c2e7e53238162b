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
    note: 'by a transport that is twenty lines of `ws`, with the options of the project: without the lane below it.',
  },
  {
    name: '**svc-streams**, each subscriber keeps its last event',
    program: 'svc-streams-keeping',
    ...own,
    note: 'compared with by hand all the same, which keeps nothing; a row below keeps its messages too.',
  },
  { name: '**svc-streams** over `ws` messages alone, the same', program: 'svc-streams-ws-keeping', ...own },
  { name: 'by hand, each handler keeps its last message', program: 'by-hand-keeping', ...own },
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
    name: 'ccxt, `await watch…` in a loop',
    program: 'ccxt-watch',
    path: '/',
    share: 0.5,
    note: 'an exchange made for this service on its `Exchange`, used as its users use it. It brings its own version of `ws`.',
  },
  {
    name: 'ccxt, its WebSocket client alone',
    program: 'ccxt',
    ...own,
    note: 'the `WsClient` below that, with the callback in which an exchange hears of a message: without the promises, which keep only the last value of a burst.',
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
