// Prints the bill of materials of a packed package, in the format CycloneDX: what `npm install` of the tarball installs in an
// empty folder. `npm sbom` in this repository omits the required peers, and each dependency that is also installed for a
// development dependency.
//
// node --import tsx scripts/bill-of-materials.ts svc-streams-1.2.3.tgz

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

interface Component {
  readonly [field: string]: unknown
  readonly 'bom-ref': string
  readonly externalReferences: readonly { readonly url: string }[]
}

interface Bill {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const [tarball] = process.argv.slice(2)
if (tarball === undefined) throw new Error('expected the path of a tarball')

const folder = await mkdtemp(join(tmpdir(), 'svc-streams-'))

const npm = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 1e8 })
  return stdout
}

/** The bill of the package itself, instead of the bill of the folder in which it is the only dependency. */
const ofPackage = ({ metadata, components, dependencies, ...bill }: Bill): Bill => {
  const installation = metadata.component['bom-ref']
  const [ref] = dependencies.find((each) => each.ref === installation)?.dependsOn ?? []
  const own = components.find((component) => component['bom-ref'] === ref)
  if (own === undefined) throw new Error('npm sbom has not listed the package')
  // The path of the tarball on this machine.
  const externalReferences = own.externalReferences.filter(({ url }) => !url.startsWith('file:'))
  return {
    ...bill,
    metadata: { ...metadata, component: { ...own, externalReferences } },
    components: components.filter((component) => component !== own),
    dependencies: dependencies.filter((each) => each.ref !== installation),
  }
}

/** The copy of `ws` in the package. Its version is in the first line of the copy. */
const bundledWs = async (): Promise<Component> => {
  const copy = await readFile(join(folder, 'node_modules/svc-streams/dist/ws-code.cjs'), 'utf8')
  const version = /^ws (\S+)$/m.exec(copy)?.[1]
  if (version === undefined) throw new Error('the copy of ws does not name its version')
  const purl = `pkg:npm/ws@${version}`
  return {
    type: 'library',
    name: 'ws',
    version,
    'bom-ref': `ws@${version}`,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
    externalReferences: [],
  }
}

try {
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "installation", "version": "0.0.0", "private": true }',
  )
  await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', resolve(tarball))
  const bill = ofPackage(JSON.parse(await npm('sbom', '--sbom-format', 'cyclonedx')) as Bill)
  console.log(JSON.stringify({ ...bill, components: [...bill.components, await bundledWs()] }, null, 2))
} finally {
  await rm(folder, { recursive: true, force: true })
}
