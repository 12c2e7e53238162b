import type { TokenOptions } from 'svc-streams/simulator'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { readPage } from '../docs/support/block.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { checkRules } from '../support/conformance/check-rules.js'
import { ruleIds, rules, type RuleId } from '../support/conformance/rules.js'
import { startWrongGateway, topicLimit } from '../support/conformance/wrong-gateway.js'
import { createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

const gatewayRules = ruleIds.filter((id) => id.startsWith('gateway-'))

describe('the rules of the protocol', () => {
  it('are kept by the simulator, as by a service', async () => {
    const { priceBaseUrl, priceWsUrl } = await startTestSimulator(fastMarket)
    const { broken, untested } = await checkRules({ http: priceBaseUrl, webSocket: priceWsUrl })
    expect({ broken, untested }).toEqual({ broken: {}, untested: ['age-live', ...gatewayRules] })
  })

  it('are kept by a gateway', async () => {
    const client = createClientFor(await startTestSimulator(fastMarket))
    const { priceBaseUrl } = await startTestGateway(client, { maxTopicsPerConnection: 5 })
    const { broken, untested } = await checkRules({ http: priceBaseUrl, topicLimit: 5 })
    expect({ broken, untested }).toEqual({ broken: {}, untested: ['gateway-down'] })
  })

  it('are kept by a gateway for a price below 0.000001', async () => {
    const tokens: readonly TokenOptions[] = [{ address: weth, symbol: 'TINY', decimals: 18, price: 2.5e-7 }]
    const client = createClientFor(await startTestSimulator({ ...fastMarket, tokens }))
    const { priceBaseUrl } = await startTestGateway(client, { maxTopicsPerConnection: 5 })
    expect((await checkRules({ http: priceBaseUrl, topicLimit: 5 })).broken).toEqual({})
  })

  it('are kept by a gateway whose service is down', async () => {
    const simulator = await startTestSimulator(fastMarket)
    const client = createClientFor(simulator)
    const { priceBaseUrl, ...gateway } = await startTestGateway(client)
    const subscription = client.price$(ethTopic).subscribe()
    await simulator.close()
    await eventually(() => expect(gateway.inspect().upstream._tag).not.toBe('Open'))
    const { verdicts } = await checkRules({ http: priceBaseUrl })
    expect(ruleIds.filter((id) => verdicts[id] === 'passed')).toEqual([
      'gateway-health',
      'gateway-history',
      'gateway-down',
    ])
    subscription.unsubscribe()
  })

  it('are found broken with the frame that breaks them', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { garbage: ['wrong-price'] } })
    const { broken } = await checkRules({ http: simulator.priceBaseUrl, webSocket: simulator.priceWsUrl })
    expect(broken).toEqual({ 'price-form': `got {"topic":"${ethTopic}","price":"12.5"}` })
  })
})

describe('a gateway that was written from the documentation', () => {
  /** Rules that need a service that is down, or a price. */
  const unbreakable: readonly RuleId[] = ['gateway-down', 'price-sent']
  const breakable = ruleIds.filter((id) => !unbreakable.includes(id))
  const outcomes = new Map<RuleId | undefined, Awaited<ReturnType<typeof checkRules>>>()

  // At the same time: a rule that is broken by silence takes the whole limit.
  beforeAll(async () => {
    await Promise.all(
      [undefined, ...breakable].map(async (broken) => {
        const gateway = await startWrongGateway(broken)
        outcomes.set(broken, await checkRules({ http: gateway.url, topicLimit, limit: 3_000 }))
        await gateway.close()
      }),
    )
  })

  it('keeps each rule', () => {
    expect(outcomes.get(undefined)).toMatchObject({ broken: {}, untested: ['gateway-down'] })
  })

  it.each(breakable)('that breaks %s fails for this rule alone', (broken) => {
    expect(Object.keys(outcomes.get(broken)?.broken ?? {})).toEqual([broken])
  })
})

test('the protocol page lists each rule with its sentence', () => {
  const rows = [...readPage('docs/reference/protocol.md').matchAll(/^\| `([a-z-]+)` \| (.*\.) \|$/gm)].map(
    ([, id = '', sentence = '']) => [id, sentence.replaceAll('`', '')],
  )
  expect(rows).toEqual(Object.entries(rules))
})
