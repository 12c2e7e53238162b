import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from './support/run.js'

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>
}

const read = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'))

test('the lock file contains integrity hashes and no registry, so that npm ci uses the configured one', async () => {
  const { packages } = (await read('package-lock.json')) as LockFile
  const installed = Object.entries(packages).filter(([path]) => path !== '')
  expect(installed.filter(([, entry]) => entry.resolved !== undefined)).toEqual([])
  expect(installed.filter(([, entry]) => entry.integrity === undefined)).toEqual([])
})

test('the lock file matches package.json', async () => {
  const lock = (await read('package-lock.json')) as LockFile
  const own = (await read('package.json')) as Readonly<Record<string, unknown>>
  const fields = [
    'version',
    'license',
    'dependencies',
    'peerDependencies',
    'devDependencies',
    'engines',
    'bin',
  ]
  const pick = (from: Readonly<Record<string, unknown>>) => fields.map((field) => from[field])
  expect(pick(lock.packages[''] as Readonly<Record<string, unknown>>)).toEqual(pick(own))
})

/**
 * What `npm ci` in a clone writes to stderr. If the environment names a file in TEST_INSTALL, returns that text: `.ci/run`
 * begins with `npm ci`.
 */
const warningsOfInstall = async (): Promise<string> => {
  const existing = process.env['TEST_INSTALL']
  if (existing !== undefined) return readFile(existing, 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'svc-streams-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    await copyFile(new URL(`../../${name}`, import.meta.url), join(folder, name))
  }
  const { code, stderr } = await run('npm', ['ci', '--prefer-offline'], { cwd: folder, timeout: 240_000 })
  expect(code, stderr).toBe(0)
  return stderr
}

test('npm ci in a clone prints no warning', async () => {
  const lines = (await warningsOfInstall()).split('\n')
  // The configuration of the machine is not part of the project.
  expect(lines.filter((line) => line !== '' && !/ Unknown \w+ config /.test(line))).toEqual([])
}, 300_000)
