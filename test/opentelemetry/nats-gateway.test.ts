import { expect, it, onTestFinished } from 'vitest'
import { createNatsClient, startGatewayInProcess } from '../nats/support/start-in-process.js'
import { collectEvents } from '../support/collect-events.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { startInstrumentation } from './support/exported.js'

describeNats('the metrics of a gateway on NATS', () => {
  it('count sessions, topics, bytes, requests and disconnects', async () => {
    const { collect, value } = startInstrumentation()
    const { url, port } = await startNatsServer({ onFinished: onTestFinished })
    const server = { 'server.address': '127.0.0.1', 'server.port': port }
    const { gateway } = await startGatewayInProcess({ servers: url })
    const consumers = [createNatsClient({ servers: url }), createNatsClient({ servers: url })] as const
    const streams = consumers.map((each) => collectEvents(each.price$(ethTopic)))
    streams.push(collectEvents(consumers[0].price$(btcTopic)))
    await eventually(() => streams.every(({ values }) => values().length > 5))
    await consumers[0].depth(weth)()
    await collect()
    const gatewayValue = (name: string) => value(`svc_streams.gateway.${name}`, server)
    const names = ['up', 'consumer.count', 'topic.count', 'connects', 'requests', 'buffered']
    expect(names.map(gatewayValue)).toEqual([1, 2, 2, 2, 1, 0])
    const sent = gatewayValue('sent')
    expect(sent).toBeGreaterThan(10 * `{"topic":"${ethTopic}","price":1}`.length)
    await consumers[0].close()
    await eventually(async () => {
      await collect()
      expect(gatewayValue('disconnects')).toBe(1)
    })
    expect(gatewayValue('consumer.count')).toBe(1)
    await eventually(async () => {
      await collect()
      expect(gatewayValue('sent')).toBeGreaterThan(sent)
    })
    const before = gatewayValue('sent')
    await gateway.close()
    await collect()
    expect(['up', 'consumer.count', 'disconnects'].map(gatewayValue)).toEqual([0, 0, 2])
    expect(gatewayValue('sent')).toBeGreaterThanOrEqual(before)
  })
})
