import { expect, inject, test } from 'vitest'
import { received, serverBundlers } from './support/bundlers.js'
import { installedCommand, run, runOrThrow } from './support/run.js'

const { bundlers: folder } = inject('packed')

test.each(serverBundlers)('a client and a gateway run in a bundle of $name', async ({ command, output }) => {
  const [bundler, ...args] = command
  await runOrThrow(installedCommand(folder, bundler), args, { cwd: folder })
  const { code, stdout, stderr } = await run('node', [output], { cwd: folder, timeout: 30_000 })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual(received)
})
