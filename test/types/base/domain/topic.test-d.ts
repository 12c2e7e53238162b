import type { Address, Topic } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('Address starts with 0x', () => {
  expectTypeOf<'0x82af'>().toExtend<Address>()
  expectTypeOf<'82af'>().not.toExtend<Address>()
  expectTypeOf<string>().not.toExtend<Address>()
})

test('Topic is a service name, a hyphen and an address', () => {
  expectTypeOf<'svc-0x82af'>().toExtend<Topic>()
  expectTypeOf<'my-service-0x82af'>().toExtend<Topic>()
  expectTypeOf<`svc-${Address}`>().toExtend<Topic>()
  expectTypeOf<Address>().not.toExtend<Topic>()
  expectTypeOf<'svc-82af'>().not.toExtend<Topic>()
})
