import type { Address, Topic } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('an address starts with 0x', () => {
  expectTypeOf<'0x82af'>().toExtend<Address>()
  expectTypeOf<'82af'>().not.toExtend<Address>()
  expectTypeOf<string>().not.toExtend<Address>()
})

test('a topic is a service, a hyphen, an address', () => {
  expectTypeOf<'svc-0x82af'>().toExtend<Topic>()
  expectTypeOf<'my-service-0x82af'>().toExtend<Topic>()
  expectTypeOf<`svc-${Address}`>().toExtend<Topic>()
  expectTypeOf<Address>().not.toExtend<Topic>()
  expectTypeOf<'svc-82af'>().not.toExtend<Topic>()
})
