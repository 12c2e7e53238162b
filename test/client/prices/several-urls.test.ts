import { describe, expect, it } from 'vitest'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { a } from '../../support/time/marbles.js'
import { createTimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'

const urls = ['ws://first.example', 'ws://second.example', 'ws://third.example']

/** Runs a client with a list of URLs and one line. Logs its dials. Each wait is its upper bound: 100, 200, 400 ms and so on. */
const runList = (
  count: number,
  scenario: (parts: VirtualTime & { readonly transport: ManualTransport }) => void,
): readonly string[] => {
  let lines: string[] = []
  runInVirtualTime(
    (virtual) => {
      const log = createTimedLog(virtual)
      lines = log.lines
      const transport = new ManualTransport({
        onDial: ({ url }) => log.add(new URL(url).hostname),
      })
      const reconnect = { initialDelay: 100, maxDelay: 1_000, stableAfter: 1_000 }
      const { client } = createManualClient({ priceWsUrl: urls.slice(0, count), reconnect }, transport)
      client.price$(a).subscribe(log.observer('a'))
      scenario({ ...virtual, transport })
      virtual.at(9_000, () => void client.close())
    },
    { endsAt: 10_000, random: () => 1 },
  )
  return lines
}

describe('a list of URLs with one line', () => {
  it('dials the next URL at once after a lost connection, and the first one again after the last', () => {
    const lines = runList(2, ({ at, transport }) => {
      at(10, () => transport.lastSocket.open())
      at(2_000, () => transport.lastSocket.drop())
      at(2_010, () => transport.lastSocket.open())
      at(4_000, () => transport.lastSocket.drop())
      at(4_010, () => transport.lastSocket.open())
    })
    expect(lines).toEqual([
      '0 first.example',
      '2000 a: Disconnected 1',
      '2000 second.example',
      '4000 a: Disconnected 1',
      '4000 first.example',
      '9000 a: complete',
    ])
  })

  it('has a backoff for each URL: while all wait, the one that waits the shortest time is next', () => {
    const lines = runList(3, ({ at, transport }) => {
      for (const ms of [10, 20, 30, 140, 160, 180]) at(ms, () => transport.lastSocket.drop())
    })
    expect(lines.filter((line) => line.includes('example'))).toEqual([
      '0 first.example',
      '10 second.example',
      '20 third.example',
      // 100 ms after its failure, and the others likewise.
      '110 first.example',
      '140 second.example',
      '160 third.example',
      // 200 ms after its second failure.
      '340 first.example',
    ])
  })

  it('with one URL waits before each dial', () => {
    const lines = runList(1, ({ at, transport }) => {
      for (const ms of [10, 120]) at(ms, () => transport.lastSocket.drop())
    })
    expect(lines.filter((line) => line.includes('example'))).toEqual([
      '0 first.example',
      '110 first.example',
      '320 first.example',
    ])
  })
})
