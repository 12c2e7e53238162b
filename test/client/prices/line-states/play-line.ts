import { isLeft } from 'fp-ts/lib/Either.js'
import { expect } from 'vitest'
import { createManualClient, ManualTransport, type ManualSocket } from '../../../support/manual-transport.js'
import { a } from '../../../support/time/marbles.js'
import { runInVirtualTime, type VirtualTime } from '../../../support/time/virtual-time.js'
import type { Cell, LineEvent, LineState } from './line-table.js'

const maxLag = 1_000

/** The price that the line alone delivers. */
const lastPrice = 99

/** When the line is in its state, in ms. */
const enteredAt = 500

/** The time of the event, in ms. */
const durations: Partial<Record<LineEvent, number>> = {
  held: 1_010,
  behind: 1_300,
  silent: 2_500,
  'probe answered': 200,
  suspended: 6_300,
  rotated: 400,
}

interface Play extends VirtualTime {
  /** The first socket of the line; the one that is dialled again in `down`. */
  readonly it: () => ManualSocket
  /** The first socket of the other line. */
  readonly other: () => ManualSocket
  /** Opens the sockets that are connecting. */
  readonly openAll: () => void
  /** True while the line answers pings. */
  readonly answering: { isOn: boolean }
  /** True while the prices that both lines have come every 100 ms. */
  readonly market: { isOn: boolean }
}

const enter: Readonly<Record<LineState, (play: Play) => void>> = {
  front: () => undefined,
  standby: () => undefined,
  'catching up': ({ at, answering, other }) => {
    at(450, () => (answering.isOn = false))
    at(499, () => other().drop())
  },
  down: ({ at, it }) => at(499, () => it().drop()),
}

const happen: Readonly<Record<LineEvent, (play: Play) => void>> = {
  opened: ({ it }) => it().open(),
  confirmed: ({ it }) => it().deliverConfirmation(a),
  price: ({ it }) => it().deliverPrice(a, lastPrice),
  held: ({ answering, market, after, it }) => {
    answering.isOn = market.isOn = false
    after(1_009, () => it().deliverPrice(a, lastPrice))
  },
  behind: ({ answering }) => (answering.isOn = false),
  silent: ({ market, other, after }) => {
    market.isOn = false
    for (let ms = 100; ms < 2_500; ms += 100) after(ms, () => other().deliverPrice(a, 1_000 + ms))
  },
  'probe answered': ({ answering }) => (answering.isOn = true),
  rejected: ({ it }) => it().deliver(`Invalid (exchange, base, quote) tuple: ${a.slice(4)}`),
  unreadable: ({ it }) => it().deliver(`{"topic":"${a}","price":"x"}`),
  closed: ({ it }) => it().drop(1012),
  suspended: ({ suspend, it }) => {
    suspend(5_000)
    it().deliverPrice(a, lastPrice)
  },
  rotated: ({ it, after, openAll }) => {
    it().deliver('{"notice":"draining"}')
    for (const ms of [1, 2]) after(ms, openAll)
  },
}

/** What the event causes. */
export const playLine = (state: LineState, event: LineEvent): Cell => {
  let cell: Cell | undefined
  runInVirtualTime(
    (virtual) => {
      const answering = { isOn: true }
      const market = { isOn: false }
      // The client puts its first line in front.
      const own = state === 'standby' || state === 'catching up' ? 1 : 0
      const transport: ManualTransport = new ManualTransport({
        answersPings: (socket) => socket !== transport.sockets[own] || answering.isOn,
        onSend: (socket, frame) => {
          if (frame.includes('"subscribe"')) virtual.after(1, () => socket.deliverConfirmation(a))
        },
      })
      const { client } = createManualClient(
        {
          ...{ lines: 2, priceWsUrl: ['ws://first', 'ws://second'], maxLag },
          reconnect: { initialDelay: 100_000, maxDelay: 100_000 },
        },
        transport,
      )
      const received = new Set<string>()
      client.price$(a).subscribe({
        next: (value) => {
          if (isLeft(value)) received.add(value.left._tag)
          else received.add(value.right.price === lastPrice ? 'its price' : 'prices')
        },
        complete: () => received.add('completes'),
      })
      const openAll = (): void => {
        for (const socket of transport.activeSockets) if (socket.state === 'connecting') socket.open()
      }
      virtual.at(1, openAll)
      for (let price = 1; price <= 80; price++)
        virtual.at(100 * price - 95, () => {
          if (price > 4 && !market.isOn) return
          for (const socket of transport.activeSockets)
            if (socket.state === 'open') socket.deliverPrice(a, price)
        })
      const play = {
        ...virtual,
        answering,
        market,
        it: () =>
          transport.sockets[2] !== undefined && state === 'down'
            ? transport.sockets[2]
            : transport.sockets[own]!,
        other: () => transport.sockets[1 - own]!,
        openAll,
      }
      enter[state](play)
      virtual.at(enteredAt, () => {
        received.clear()
        market.isOn = true
        happen[event](play)
      })
      virtual.at(enteredAt + (durations[event] ?? 0.5), () => {
        if (event === 'rotated') expect(play.it().state).toBe('closed')
        // In the order of their creation. A line that was replaced is no longer there.
        const created: readonly Cell[0][] =
          own === 0 ? ['it', 'other', 'successor'] : ['other', 'it', 'successor']
        const names = created.filter((name) => name !== 'it' || event !== 'rotated')
        const front = client.inspect().lines.findIndex(({ isFront }) => isFront)
        cell = [names[front]!, [...received].join(', ')]
        void client.close()
      })
    },
    { endsAt: 20_000, random: () => 1 },
  )
  return cell!
}
