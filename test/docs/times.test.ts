import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { maxExpirationMs } from '../../src/gateway/http/access.js'
import { backlogTime } from '../../src/gateway/websocket/consumer-output.js'
import { pongTime } from '../../src/gateway/websocket/ack-window.js'
import { returnTime } from '../../src/gateway/subscriptions/sessions.js'
import { retryTime } from '../../src/nats/connection/nats-link.js'
import { connectTime } from '../../src/nats/options.js'
import { findTime } from '../../src/nats/client/find-gateway.js'
import { renewInterval } from '../../src/nats/client/data-age.js'
import { replyTime } from '../../src/nats/client/nats-web-socket-transport.js'
import { leaseTime } from '../../src/nats/publisher/lease.js'

test.each([
  [
    'operate/gateway',
    `expiration of a signature may be at most ${maxExpirationMs / 60_000} minutes in the future`,
  ],
  ['operate/gateway', `no consumer has requested again within ${returnTime / 1000} s of that time`],
  ['operate/gateway', `consumer answers no ping for ${pongTime / 1500} to ${pongTime / 1000} s`],
  ['operate/gateway', `has ${backlogTime / 1000} s to read what was sent before`],
  ['operate/many-machines', `renews a lease every ${renewInterval} ms`],
  ['operate/many-machines', `expires ${leaseTime} ms after its last renewal`],
  ['operate/many-machines', `get no answer for ${replyTime} ms`],
  ['operate/many-machines', `finds no gateway within ${findTime} ms`],
  ['operate/many-machines', `After ${connectTime / 1000} s the client destroys the socket`],
  ['operate/many-machines', `Two dials of one server are ${retryTime} ms apart`],
])('the page %s states the time of the code: %s', async (page, text) => {
  const content = await readFile(`docs/${page}.md`, 'utf8')
  expect(content.replaceAll(/\s+/g, ' ').includes(text)).toBe(true)
})
