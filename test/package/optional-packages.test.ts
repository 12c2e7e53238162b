import { cp, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { install } from './support/install.js'
import { run } from './support/run.js'

const packed = inject('packed')

/** A folder with an installation of the package by `npm install --omit=optional`. */
let folder: string

beforeAll(async () => {
  folder = await install(dirname(packed.user), 'no-optional', ['--omit=optional', packed.tarball])
  await cp(join(packed.user, 'programs'), join(folder, 'programs'), { recursive: true })
}, 240_000)

test('without optional packages, an installation has those of the client and the peers alone', async () => {
  const names = await readdir(join(folder, 'node_modules'))
  expect(names.filter((name) => !name.startsWith('.')).sort()).toEqual([
    ...['@noble', 'fp-ts', 'io-ts', 'rxjs', 'svc-streams', 'tslib', 'undici', 'ws'],
  ])
})

test.each(['live.mjs', 'live.cjs', 'marbles.mjs', 'gateway.mjs', 'recordings.mjs', 'sweep.mjs'])(
  '%s runs without optional packages',
  async (program) => {
    const { code, stderr } = await run('node', [`programs/${program}`], { cwd: folder })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)

test('a command says which package is not installed, and how to install it', async () => {
  const main = 'node_modules/svc-streams/dist/cli/main.js'
  expect(await run('node', [main, '--version'], { cwd: folder })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: the commands need the package commander, which is not installed: npm install --include=optional\n',
  })
})
