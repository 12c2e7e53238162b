import { mkdir, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { install } from './support/install.js'
import { runOrThrow } from './support/run.js'

const { tarball, user } = inject('packed')

test('the streams are sources of RxJS 9 and of Effect', async () => {
  const folder = await install(join(user, '..'), 'ecosystem', [
    tarball,
    'effect@4',
    'rxjs-9@npm:rxjs@9.0.0-beta.0',
  ])
  await mkdir(join(folder, 'programs'))
  const program = join(folder, 'programs/ecosystem.mjs')
  await cp(join(user, 'programs/ecosystem.mjs'), program)
  const output = await runOrThrow('node', [program], { cwd: folder })
  expect(output.trim().split('\n')).toEqual(['RxJS 9: 1', 'Effect: 1', 'subscribers: 0'])
})
