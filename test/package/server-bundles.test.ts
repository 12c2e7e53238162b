import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { findUnusedPort } from '../support/network/servers.js'
import { nextPages, serverBundlers } from './support/bundlers.js'
import { run, runOrThrow, userEnvironment } from './support/run.js'

const { bundlers: folder } = inject('packed')

/** What `programs/server` receives over WebSocket and HTTP, from the service and through a gateway. */
const received = {
  topics: ['svc-0xAb', 'svc-0xAb'],
  mint: '0xAb',
  error: 'SubscriptionRejected',
  overHttp: 'Right',
}

test.each(serverBundlers)('a client and a gateway run in a bundle of $name', async ({ command, output }) => {
  await runOrThrow('npx', command, { cwd: folder })
  const { code, stdout, stderr } = await run('node', [output], { cwd: folder, timeout: 30_000 })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual(received)
})

test.each(['--webpack', '--turbopack'])(
  'a client and a gateway run in a route of Next built by %s',
  async (bundler) => {
    const cwd = join(folder, nextPages)
    const variables = { NEXT_TELEMETRY_DISABLED: '1' }
    await runOrThrow('npx', ['next', 'build', bundler], { cwd, variables, timeout: 250_000 })
    const port = await findUnusedPort()
    const program = join(folder, 'node_modules/next/dist/bin/next')
    const server = spawn(process.execPath, [program, 'start', '-p', String(port)], {
      cwd,
      env: { ...userEnvironment(), ...variables },
      stdio: 'ignore',
    })
    onTestFinished(() => void server.kill())
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/`)).ok)
    expect(await (await fetch(`http://127.0.0.1:${port}/prices`)).json()).toEqual(received)
  },
  300_000,
)
