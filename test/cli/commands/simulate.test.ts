import { expect, test } from 'vitest'
import { addresses } from '../../../src/cli/commands/simulate.js'
import { runInProcess } from '../support/in-process.js'

test('appends an address', () => {
  expect(addresses('0xCd', addresses('0xab'))).toEqual(['0xab', '0xCd'])
  for (const text of ['', '0x', 'ab', '0xzz', 'svc-0xab', '0xab,0xcd']) {
    expect(() => addresses(text)).toThrow('Give a contract address: 0x and hex digits.')
  }
})

test('--faults-after needs --faults', async () => {
  expect(await runInProcess(['simulate', '--faults-after', '1s'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('error: --faults-after: add --faults') as string,
  })
})
