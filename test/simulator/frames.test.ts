import { once } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { readFrame, type Frame, type MalformedFrame } from '../../src/wire/codec/price-frame.js'
import type { Faults } from '../../src/simulator/index.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { fastMarket, startTestSimulator } from '../support/simulator.js'

/** The faults with which the simulator sends each kind of frame. A new kind does not compile without an entry. */
const faults: Readonly<Record<(Frame | MalformedFrame)['_tag'], Faults>> = {
  PriceUpdate: {},
  Confirmation: {},
  ErrorText: { rejectSubscribes: true },
  Malformed: { garbage: ['wrong-price'] },
}

it.each(Object.entries(faults))('the simulator sends a frame of the kind %s', async (kind, faults) => {
  const { priceWsUrl } = await startTestSimulator({ ...fastMarket, faults })
  const socket = new WebSocket(priceWsUrl)
  const received: string[] = []
  socket.on('message', (data: Buffer) => received.push(readFrame(data.toString())._tag))
  await once(socket, 'open')
  socket.send(JSON.stringify({ method: 'subscribe', topic: ethTopic }))
  await eventually(() => expect(received).toContain(kind))
  socket.terminate()
})
