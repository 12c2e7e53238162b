import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, map } from 'rxjs'
import type { Client } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'
import { expect, it } from 'vitest'
import { clientOf, ethTopic, startService, weth } from '../support/simulator.js'

type Use = (client: Client, simulator: Simulator) => Promise<unknown>

/** One use of each member of a client against the simulator. A new member does not compile without one. */
const uses: Readonly<Record<keyof Client, Use>> = {
  chainId: async ({ chainId }) => expect(chainId).toBe(42161),
  status$: async ({ status$ }) => expect(await firstValueFrom(status$)).toEqual({ _tag: 'Idle' }),
  errors$: async ({ errors$, price$ }, simulator) => {
    const error = firstValueFrom(errors$)
    simulator.inject({ garbage: ['binary'] })
    price$(ethTopic).subscribe()
    expect(await error).toMatchObject({ _tag: 'UncorrelatedError', kind: 'binary' })
  },
  price$: async ({ price$ }) => {
    const price = await firstValueFrom(
      price$(ethTopic).pipe(
        filter(isRight),
        map(({ right }) => right),
      ),
    )
    expect(price).toMatchObject({ topic: ethTopic, epoch: 1 })
  },
  depth$: async ({ depth$ }) =>
    expect(await firstValueFrom(depth$(weth, 1000))).toMatchObject({ right: { mint: weth } }),
  price: async ({ price }) => expect(await price(ethTopic)()).toMatchObject({ right: { epoch: 0 } }),
  depth: async ({ depth }) => expect(await depth(weth)()).toMatchObject({ right: { mint: weth } }),
  inspect: async ({ inspect }) =>
    expect(inspect()).toEqual({ status: { _tag: 'Idle' }, topics: [], polls: [] }),
  close: async ({ close, inspect }) => {
    await close()
    expect(inspect().status).toEqual({ _tag: 'Closed' })
  },
  [Symbol.asyncDispose]: async (client) => {
    await client[Symbol.asyncDispose]()
    expect(client.inspect().status).toEqual({ _tag: 'Closed' })
  },
}

it.each(Reflect.ownKeys(uses).map((name) => [String(name), uses[name as keyof Client]] as const))(
  '%s works against the simulator',
  async (_, use) => {
    const simulator = await startService()
    await use(clientOf(simulator), simulator)
  },
)
