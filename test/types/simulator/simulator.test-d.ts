import { createClient, type Client, type PriceClient } from 'svc-streams'
import { startSimulator, type Simulator } from 'svc-streams/simulator'
import { expectTypeOf, test } from 'vitest'

declare const simulator: Simulator

test('it resolves to what a client takes', () => {
  expectTypeOf(startSimulator).returns.resolves.toEqualTypeOf<Simulator>()
  expectTypeOf(createClient({ environment: 'mainnet', ...simulator })).toEqualTypeOf<Client>()
  expectTypeOf(createClient({ environment: 'testnet', ...simulator })).toEqualTypeOf<PriceClient>()
})

test('its addresses and key are texts', () => {
  expectTypeOf<Pick<Simulator, 'baseUrl' | 'priceBaseUrl' | 'priceWsUrl' | 'authKey'>>().toEqualTypeOf<{
    readonly baseUrl: string
    readonly priceBaseUrl: string
    readonly priceWsUrl: string
    readonly authKey: string
  }>()
  expectTypeOf<Simulator['close']>().toEqualTypeOf<() => Promise<void>>()
})

test('all options are optional, and checked', () => {
  expectTypeOf(startSimulator).toBeCallableWith()
  expectTypeOf(startSimulator).toBeCallableWith({ tokens: ['0xab'], seed: 7, tick: 50, faults: {} })
  // @ts-expect-error -- a number of ms
  void startSimulator({ tick: '50' })
  // @ts-expect-error -- no such fault
  void startSimulator({ faults: { confuse: true } })
})
