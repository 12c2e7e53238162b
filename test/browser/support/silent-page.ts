import { expect } from 'vitest'
import { startScriptedService } from '../../support/network/scripted-service.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { logPrices } from './page.js'
import { openTab } from './tab.js'

/** The options of a client that only needs a WebSocket. */
export const optionsFor = (priceWsUrl: string) =>
  ({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl }) as const

/** A page with a topic that never has a price, so that the client probes its connection every 100 ms. */
export const openSilentPage = async () => {
  const { url, connections } = await startScriptedService({
    onSubscribe: (connection, topic) => connection.sendConfirmation(topic),
  })
  const tab = await openTab()
  await logPrices(tab, { ...optionsFor(url), pingInterval: 100, pongTimeout: 100 }, ethTopic)
  const probes = () => connections[0]?.receivedMessages.length ?? 0
  await eventually(() => expect(probes()).toBeGreaterThan(2))
  const nextProbe = (): Promise<unknown> => {
    const before = probes()
    return eventually(() => expect(probes()).toBeGreaterThan(before))
  }
  return { tab, connections, nextProbe }
}
