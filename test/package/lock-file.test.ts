import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

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
