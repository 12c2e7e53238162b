import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { runOrThrow } from './support/run.js'

interface Bill {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly { readonly group?: string; readonly name: string }[]
}

interface Manifest {
  readonly version: string
  readonly dependencies: object
  readonly peerDependencies: object
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

const repository = fileURLToPath(new URL('../../', import.meta.url))

test('the bill of materials lists each dependency and each required peer of the package', async () => {
  const { tarball } = inject('packed')
  const script = ['--import', 'tsx', 'scripts/bill-of-materials.ts', tarball]
  const text = await runOrThrow('node', script, { cwd: repository })
  const { metadata, components } = JSON.parse(text) as Bill
  const { version, ...manifest } = JSON.parse(await readFile(`${repository}package.json`, 'utf8')) as Manifest
  const required = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
  )
  expect(required).toEqual(expect.arrayContaining(['commander', 'rxjs', 'fp-ts', 'io-ts']))
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining([...required, 'ws']))
  expect(metadata.component).toMatchObject({ name: 'svc-streams', version })
  // The folder of the installation is not part of the package.
  expect(text).not.toMatch(/"file:|installation/)
})
