/** A candidate of the table of live prices. */
export interface LiveCandidate {
  /** The label of its row. */
  readonly name: string
  readonly program: string
  readonly path: string
  /** Share of the frames of the other candidates. Less than 1 for a candidate that would take minutes. */
  readonly share: number
  /** True if the program counts frames and does not read prices. */
  readonly countOnly?: boolean
  readonly note?: string
}

const defaults = { path: '/', share: 1 }

export const handWritten: LiveCandidate = {
  name: 'hand-written',
  program: 'hand-written/price-handlers',
  ...defaults,
  note: '`ws`, `JSON.parse`, and a `Map` of one handler per topic.',
}

export const svcStreams: LiveCandidate = {
  name: '**svc-streams**',
  program: 'svc-streams/default',
  ...defaults,
}

export const liveCandidates: readonly LiveCandidate[] = [
  handWritten,
  svcStreams,
  {
    name: '**svc-streams** over `ws` messages',
    program: 'svc-streams/ws-messages',
    ...defaults,
    note: 'with a transport over the `message` event of `ws`, with the same `ws` options, but without the frame tap.',
  },
  {
    name: '**svc-streams**, subscribers retain the last event',
    program: 'svc-streams/retain-last-event',
    ...defaults,
    note: 'compared with the hand-written client that retains nothing. A row below retains messages.',
  },
  {
    name: '**svc-streams** over `ws` messages, subscribers retain the last event',
    program: 'svc-streams/ws-messages-retain-last-event',
    ...defaults,
  },
  {
    name: 'hand-written, handlers retain the last message',
    program: 'hand-written/retain-last-message',
    ...defaults,
  },
  {
    name: 'lower bound: count frames, `ws`',
    program: 'lower-bound/ws-messages',
    ...defaults,
    countOnly: true,
  },
  {
    name: 'lower bound: count frames in TCP chunks',
    program: 'lower-bound/tcp-chunks',
    ...defaults,
    countOnly: true,
  },
  { name: 'reconnecting-websocket', program: 'peers/reconnecting-websocket', ...defaults },
  { name: 'partysocket', program: 'peers/partysocket', ...defaults },
  { name: '`rxjs/webSocket` + Map of Subjects', program: 'peers/rxjs-subjects', ...defaults },
  {
    name: '`rxjs/webSocket` `multiplex`',
    program: 'peers/rxjs-multiplex',
    path: '/',
    share: 0.05,
    note: 'measured on fewer messages, because each message passes 1000 filters.',
  },
  {
    name: 'ccxt, `await watch…` in a loop',
    program: 'peers/ccxt-watch',
    path: '/in-turn',
    share: 0.5,
    note: 'an exchange for this service, derived from `Exchange` and used as documented. It uses its own version of `ws`. Its topics come in turn: in random order it loses a price that follows another of its topic in one chunk.',
  },
  {
    name: 'ccxt, its WebSocket client alone',
    program: 'peers/ccxt-ws-client',
    ...defaults,
    note: 'the `WsClient` below `Exchange`, with its message callback. Its promises are not used, because they retain only the last value of a burst.',
  },
  {
    name: 'graphql-ws',
    program: 'peers/graphql-ws',
    path: '/graphql',
    share: 0.5,
    note: 'in its own protocol, whose envelope makes the frames longer.',
  },
  {
    name: 'centrifuge',
    program: 'peers/centrifuge',
    path: '/centrifuge',
    share: 0.5,
    note: 'in its own JSON protocol, whose envelope makes the frames longer.',
  },
]
