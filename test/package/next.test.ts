import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { findUnusedPort } from '../support/network/servers.js'
import { eventually } from '../support/time/eventually.js'
import { nextPages, received } from './support/bundlers.js'
import { runOrThrow, userEnvironment } from './support/run.js'

const { bundlers: folder } = inject('packed')

test.each(['--webpack', '--turbopack'])(
  'a client and a gateway run in a route of Next built by %s',
  async (bundler) => {
    const cwd = join(folder, nextPages)
    const variables = { NEXT_TELEMETRY_DISABLED: '1' }
    const program = join(folder, 'node_modules/next/dist/bin/next')
    await runOrThrow(process.execPath, [program, 'build', bundler], { cwd, variables, timeout: 250_000 })
    const port = await findUnusedPort()
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
