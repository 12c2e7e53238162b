import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceEvent } from '../../../../src/client/prices/subscribers.js'
import { createManualClient, ManualTransport, type ManualSocket } from '../../../support/manual-transport.js'
import { a } from '../../../support/time/marbles.js'
import { runInVirtualTime, type VirtualTime } from '../../../support/time/virtual-time.js'
import type { Cell, TopicEvent, TopicState } from './topic-table.js'

/** When the topic is in its state, in ms. */
const enteredAt = 40_000

/** The time of the event, in ms: longer than `staleAfter`; a probe is sent and answered. */
const durations: Partial<Record<TopicEvent, number>> = {
  silence: 30_000,
  'probes lost': 6_000,
  'probe answered': 1_000,
}

const maxLag = 5_000

interface Play extends VirtualTime {
  readonly socket: () => ManualSocket
  readonly answering: { isOn: boolean }
  readonly leave: () => void
  readonly join: () => void
  readonly close: () => void
}

/** Brings the topic to a state, by what happened before. */
const enter: Readonly<Record<TopicState, (play: Play) => void>> = {
  dialling: () => undefined,
  requested: ({ at, socket }) => at(39_999, () => socket().open()),
  confirmed: (play) => {
    enter.requested(play)
    play.at(39_999.5, () => play.socket().deliverConfirmation(a))
  },
  live: (play) => {
    enter.confirmed(play)
    play.at(39_999.75, () => play.socket().deliverPrice(a, 1))
  },
  stale: ({ at, socket }) => {
    at(1, () => socket().open())
    at(2, () => socket().deliverPrice(a, 1))
  },
  unreadable: (play) => {
    enter.live(play)
    play.at(39_999.8, () => play.socket().deliver(`{"topic":"${a}","price":"x"}`))
  },
  behind: ({ at, socket, answering }) => {
    at(34_000, () => socket().open())
    at(34_001, () => socket().deliverPrice(a, 1))
    at(34_100, () => (answering.isOn = false))
  },
  // The next dial has begun.
  down: ({ at, socket }) => {
    at(1, () => socket().open())
    at(38_999, () => socket().deliverPrice(a, 1))
    at(39_000, () => socket().drop())
  },
  lingering: (play) => {
    enter.live(play)
    play.at(39_999.9, () => play.leave())
  },
}

const happen: Readonly<Record<TopicEvent, (play: Play) => void>> = {
  opened: ({ socket }) => socket().open(),
  confirmed: ({ socket }) => socket().deliverConfirmation(a),
  price: ({ socket }) => socket().deliverPrice(a, 2),
  rejected: ({ socket }) => socket().deliver(`Invalid (exchange, base, quote) tuple: ${a.slice(4)}`),
  unreadable: ({ socket }) => socket().deliver(`{"topic":"${a}","price":"x"}`),
  'probe answered': ({ answering }) => (answering.isOn = true),
  'probes lost': ({ answering }) => (answering.isOn = false),
  silence: () => undefined,
  lost: ({ socket }) => socket().drop(),
  left: ({ leave }) => leave(),
  joined: ({ join }) => join(),
  closed: ({ close }) => close(),
}

/** What the event causes. `shows`: the state in `inspect()` before it. */
export const playCell = (
  state: TopicState,
  event: TopicEvent,
): { readonly shows: string; readonly cell: Cell } => {
  let result: { readonly shows: string; readonly cell: Cell } | undefined
  runInVirtualTime(
    (virtual) => {
      const answering = { isOn: true }
      const transport = new ManualTransport({ answersPings: () => answering.isOn })
      const { client } = createManualClient(
        { priceWsUrl: 'ws://host', maxLag, linger: 10_000, connectTimeout: 100_000, confirmTimeout: 20_000 },
        transport,
      )
      let received: string[] = []
      const late: string[] = []
      const log = (texts: () => string[]) => ({
        next: (value: PriceEvent) => texts().push(textOf(value)),
        complete: () => texts().push('completes'),
      })
      const first = client.price$(a).subscribe(log(() => received))
      const join = (): void => void client.price$(a).subscribe(log(() => late))
      const close = (): void => void client.close()
      const play: Play = {
        ...virtual,
        ...{ answering, join, close, leave: () => first.unsubscribe(), socket: () => transport.lastSocket },
      }
      enter[state](play)
      const shown = (): Cell[0] => client.inspect().topics[0]?.state ?? 'none'
      let shows = ''
      virtual.at(enteredAt, () => {
        received = []
        shows = shown()
        happen[event](play)
      })
      virtual.at(enteredAt + (durations[event] ?? 0), () => {
        const becomes = shown()
        const emits = received.join(', ')
        if (event !== 'joined' && event !== 'closed') join()
        result = { shows, cell: [becomes, emits, late.join(', ')] }
        close()
      })
    },
    { endsAt: 80_000, random: () => 1 },
  )
  return result!
}

const textOf = (event: PriceEvent): string => (isLeft(event) ? event.left._tag : `price ${event.right.price}`)
