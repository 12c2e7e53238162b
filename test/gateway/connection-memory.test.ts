import { expect, it } from 'vitest'
import { runProgram } from '../support/process/node-process.js'

it('frees the memory of a connection, a few kB, when it is closed', async () => {
  const flags = ['--expose-gc', '--no-opt', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode']
  const printed = await runProgram('test/gateway/programs/connection-memory.ts', [], flags)
  const { bytesPerConnection, leakedPerConnection } = JSON.parse(printed) as Readonly<Record<string, number>>
  // The request of the upgrade, with its headers, would be 2 kB more.
  expect(bytesPerConnection).toBeLessThan(8_600)
  // A retained socket, session or subscription is several hundred bytes or more.
  expect(leakedPerConnection).toBeLessThan(100)
})
