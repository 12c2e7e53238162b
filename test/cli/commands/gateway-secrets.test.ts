import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { startGatewayCommand } from '../support/gateway-command.js'

test('gateway reads its access tokens again on SIGHUP, and logs JSON', async () => {
  const file = join(newFolder(), 'access.json')
  writeFileSync(file, '{ "desk": "first-secret" }')
  const { command, url } = await startGatewayCommand([
    ...['--simulate', '--port', '0', '--access', file],
    ...['--log-format', 'json', '--max-messages-per-second', '50', '--max-new-topics-per-second', '5'],
    ...['--max-connections-per-address', '3'],
  ])
  const statusWith = async (secret: string) =>
    (await fetch(`${url}/tokens`, { headers: { Authorization: `Bearer ${secret}` } })).status
  const lines = () =>
    command.stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
  expect([await statusWith('first-secret'), await statusWith('second-secret')]).toEqual([200, 401])
  writeFileSync(file, '{ "desk": "second-secret" }')
  command.process.kill('SIGHUP')
  await eventually(async () =>
    expect([await statusWith('first-secret'), await statusWith('second-secret')]).toEqual([401, 200]),
  )
  writeFileSync(file, 'no JSON')
  command.process.kill('SIGHUP')
  await eventually(() =>
    expect(lines().at(-1)).toMatchObject({
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      level: 'warn',
      message: expect.stringContaining('keeps what it has') as string,
    }),
  )
  expect(await statusWith('second-secret')).toBe(200)
  expect(command.output).not.toContain('-secret')
  command.process.kill('SIGTERM')
  expect(await command.waitForExit()).toBe(0)
})
