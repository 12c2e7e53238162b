import { createClient, type Client, type PriceClient } from 'svc-streams'
import { startSimulator, type Simulator } from 'svc-streams/simulator'
import { expectTypeOf, test } from 'vitest'

declare const simulator: Simulator

test('startSimulator resolves to options of createClient', () => {
  expectTypeOf(startSimulator).returns.resolves.toEqualTypeOf<Simulator>()
  expectTypeOf(createClient({ environment: 'mainnet', ...simulator })).toEqualTypeOf<Client>()
  expectTypeOf(createClient({ environment: 'testnet', ...simulator })).toEqualTypeOf<PriceClient>()
})

test('Simulator has its addresses and its key as strings', () => {
  expectTypeOf<Pick<Simulator, 'baseUrl' | 'priceBaseUrl' | 'priceWsUrl' | 'authKey'>>().toEqualTypeOf<{
    readonly baseUrl: string
    readonly priceBaseUrl: string
    readonly priceWsUrl: string
    readonly authKey: string
  }>()
  expectTypeOf<Simulator['close']>().toEqualTypeOf<() => Promise<void>>()
})

test('startSimulator has optional, type-checked options', () => {
  expectTypeOf(startSimulator).toBeCallableWith()
  expectTypeOf(startSimulator).toBeCallableWith({ tokens: ['0xab'], seed: 7, tick: 50, faults: {} })
  // @ts-expect-error -- a number of ms
  void startSimulator({ tick: '50' })
  // @ts-expect-error -- unknown fault
  void startSimulator({ faults: { confuse: true } })
})
