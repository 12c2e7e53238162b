import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, take, toArray } from 'rxjs'
import { createClient } from 'svc-streams'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { wbtc, weth } from '../support/tokens.js'
import { manualMarket } from '../support/manual-market.js'
import { startTestSimulator } from '../support/simulator.js'

test.each(['svc', 'acme'])(
  'createClient accepts a simulator as its options (service %s)',
  async (service) => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market, service })
    const client = createClient({ environment: 'mainnet', ...simulator })
    onTestFinished(() => client.close())

    expect(await client.depth(weth)()).toMatchObject({
      _tag: 'Right',
      right: { price: 2500, buy: { totalQuantity: 3n * 10n ** 18n, totalQuantityUsd: 7500 } },
    })
    expect(await client.depth('0xdead')()).toMatchObject({
      left: { _tag: 'UnsupportedPair', base: '0xdead' },
    })
    expect(await client.price(`${service}-${wbtc}`)()).toMatchObject({ right: { price: 60_000 } })

    const prices = firstValueFrom(
      client.price$(`${service}-${weth}`).pipe(filter(isRight), take(3), toArray()),
    )
    await eventually(() => simulator.connections[0]?.topics.length === 1)
    market.update({ price: 2501 })
    market.update({ price: 2502 })
    expect((await prices).map(({ right }) => right.price)).toEqual([2500, 2501, 2502])
  },
)
