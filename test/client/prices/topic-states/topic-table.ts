import type { TopicSnapshot } from 'svc-streams'

/** The states of a topic of one line. Each has one word in `inspect()`. */
export type TopicState =
  'dialling' | 'requested' | 'confirmed' | 'live' | 'stale' | 'unreadable' | 'behind' | 'down' | 'lingering'

/**
 * `rejected`: a text of the service names the topic. `probes lost`: no ping is answered for
 * 6 s, longer than `maxLag`. `probe answered`: within 1 s. `silence`: nothing but pongs for 30 s. `lost`: the
 * connection, or a dial. `left`: by the last subscriber. `joined`: a second subscriber. `closed`: the client.
 */
export type TopicEvent =
  | 'opened'
  | 'confirmed'
  | 'price'
  | 'rejected'
  | 'unreadable'
  | 'probes lost'
  | 'probe answered'
  | 'silence'
  | 'lost'
  | 'left'
  | 'joined'
  | 'closed'

type Shown = TopicSnapshot['state'] | 'none'

/**
 * The state in `inspect()` after the event; what a subscriber receives by it; what a new subscriber then receives at once. `none`:
 * the client no longer keeps the topic.
 */
export type Cell = readonly [becomes: Shown, emits: string, late: string]

/** The word of each state in `inspect()`. A topic that is confirmed is not live before its first price. */
export const shownAs: Readonly<Record<TopicState, Shown>> = {
  dialling: 'waiting',
  requested: 'waiting',
  confirmed: 'waiting',
  live: 'live',
  stale: 'stale',
  unreadable: 'stale',
  behind: 'stale',
  down: 'down',
  lingering: 'lingering',
}

/** Every state and every event: a missing cell does not compile. Price 1 has been delivered, except in the first three states. */
export const topicTable: Readonly<Record<TopicState, Readonly<Record<TopicEvent, Cell | 'impossible'>>>> = {
  dialling: {
    opened: ['waiting', '', ''],
    confirmed: 'impossible',
    price: 'impossible',
    rejected: 'impossible',
    unreadable: 'impossible',
    'probes lost': 'impossible',
    'probe answered': 'impossible',
    silence: ['waiting', '', ''],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['none', '', ''],
    joined: ['waiting', '', ''],
    closed: ['none', 'completes', ''],
  },
  requested: {
    opened: 'impossible',
    confirmed: ['waiting', '', ''],
    price: ['live', 'price 2', 'price 2'],
    rejected: ['none', 'SubscriptionRejected, completes', ''],
    unreadable: ['waiting', 'DecodeError', 'DecodeError'],
    'probes lost': ['waiting', '', ''],
    'probe answered': ['waiting', '', ''],
    silence: ['waiting', 'SubscriptionTimeout', ''],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', ''],
    joined: ['waiting', '', ''],
    closed: ['none', 'completes', ''],
  },
  confirmed: {
    opened: 'impossible',
    confirmed: ['waiting', '', ''],
    price: ['live', 'price 2', 'price 2'],
    rejected: ['waiting', '', ''],
    unreadable: ['waiting', 'DecodeError', 'DecodeError'],
    'probes lost': ['stale', 'Stale', 'Stale'],
    'probe answered': ['waiting', '', ''],
    silence: ['stale', 'Stale', 'Stale'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', ''],
    joined: ['waiting', '', ''],
    closed: ['none', 'completes', ''],
  },
  live: {
    opened: 'impossible',
    confirmed: ['live', '', 'price 1'],
    price: ['live', 'price 2', 'price 2'],
    rejected: ['live', '', 'price 1'],
    unreadable: ['stale', 'DecodeError', 'DecodeError'],
    'probes lost': ['stale', 'Stale', 'Stale'],
    'probe answered': ['live', '', 'price 1'],
    silence: ['stale', 'Stale', 'Stale'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', 'price 1'],
    joined: ['live', '', 'price 1'],
    closed: ['none', 'completes', ''],
  },
  stale: {
    opened: 'impossible',
    confirmed: ['stale', '', 'Stale'],
    price: ['live', 'price 2', 'price 2'],
    rejected: ['stale', '', 'Stale'],
    unreadable: ['stale', 'DecodeError', 'DecodeError'],
    'probes lost': ['stale', '', 'Stale'],
    'probe answered': ['stale', '', 'Stale'],
    silence: ['stale', '', 'Stale'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', 'Stale'],
    joined: ['stale', '', 'Stale'],
    closed: ['none', 'completes', ''],
  },
  unreadable: {
    opened: 'impossible',
    confirmed: ['stale', '', 'DecodeError'],
    price: ['live', 'price 2', 'price 2'],
    rejected: ['stale', '', 'DecodeError'],
    unreadable: ['stale', 'DecodeError', 'DecodeError'],
    'probes lost': ['stale', '', 'DecodeError'],
    'probe answered': ['stale', '', 'DecodeError'],
    silence: ['stale', 'Stale', 'Stale'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', 'DecodeError'],
    joined: ['stale', '', 'DecodeError'],
    closed: ['none', 'completes', ''],
  },
  behind: {
    opened: 'impossible',
    confirmed: ['stale', '', 'Stale'],
    price: ['stale', '', 'Stale'],
    rejected: ['stale', '', 'Stale'],
    unreadable: ['stale', 'DecodeError', 'DecodeError'],
    'probes lost': ['down', 'Disconnected', 'Disconnected'],
    'probe answered': ['live', 'price 1', 'price 1'],
    silence: ['down', 'Disconnected', 'Disconnected'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['lingering', '', 'Stale'],
    joined: ['stale', '', 'Stale'],
    closed: ['none', 'completes', ''],
  },
  down: {
    opened: ['waiting', '', 'Disconnected'],
    confirmed: 'impossible',
    price: 'impossible',
    rejected: 'impossible',
    unreadable: 'impossible',
    'probes lost': 'impossible',
    'probe answered': 'impossible',
    silence: ['down', '', 'Disconnected'],
    lost: ['down', 'Disconnected', 'Disconnected'],
    left: ['none', '', ''],
    joined: ['down', '', 'Disconnected'],
    closed: ['none', 'completes', ''],
  },
  lingering: {
    opened: 'impossible',
    confirmed: ['lingering', '', 'price 1'],
    price: ['lingering', '', 'price 2'],
    rejected: ['lingering', '', 'price 1'],
    unreadable: ['lingering', '', 'DecodeError'],
    'probes lost': ['lingering', '', 'Stale'],
    'probe answered': ['lingering', '', 'price 1'],
    silence: ['none', '', ''],
    lost: ['none', '', 'Disconnected'],
    left: 'impossible',
    joined: ['live', '', 'price 1'],
    closed: ['none', '', ''],
  },
}

const eventTexts: Readonly<Record<TopicEvent, string>> = {
  opened: 'connected',
  confirmed: 'confirmation',
  price: 'price',
  rejected: 'rejection',
  unreadable: 'DecodeError',
  'probes lost': 'behind',
  'probe answered': 'no longer behind',
  silence: 'silence',
  lost: 'connection lost',
  left: 'last subscriber leaves',
  joined: 'subscriber',
  closed: 'close()',
}

/** The changes of the state in `inspect()`, as a Mermaid diagram. Each state may end by `close()`. */
export const topicDiagram = (): string => {
  const arrows = new Map<string, Set<string>>()
  for (const [state, row] of Object.entries(topicTable) as [TopicState, (typeof topicTable)[TopicState]][])
    for (const [event, cell] of Object.entries(row) as [TopicEvent, Cell | 'impossible'][]) {
      if (cell === 'impossible' || event === 'closed' || cell[0] === shownAs[state]) continue
      const to = event === 'rejected' ? 'rejected' : cell[0] === 'none' ? '[*]' : cell[0]
      const arrow = `${shownAs[state]} --> ${to}`
      arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(eventTexts[event]))
    }
  const lines = [...arrows].map(([arrow, events]) => `  ${arrow}: ${[...events].join(', ')}`)
  return ['stateDiagram-v2', '  [*] --> waiting: subscriber', ...lines].join('\n')
}
