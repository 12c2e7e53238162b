import { expect, it } from 'vitest'
import { addressGroupOf } from '../../../src/gateway/server/address-group.js'

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('the address %s belongs to the group %s', (address, group) => {
  expect(addressGroupOf(address)).toBe(group)
})
