import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const benchManifest = new URL('../package.json', import.meta.url)
const rootManifest = new URL('../../package.json', import.meta.url)

const readManifest = async (url: URL): Promise<Manifest> =>
  JSON.parse(await readFile(url, 'utf8')) as Manifest

/** The version that a program in the folder of `from` gets. Packages need not export their manifest: it is searched for. */
const versionFrom = async (from: URL, name: string): Promise<string | undefined> => {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    try {
      return (await readManifest(new URL(`file://${folder}/${name}/package.json`))).version
    } catch {
      continue
    }
  }
  return undefined
}

/** What the project is made of and measured on, beside its peers. */
const shared = ['rxjs', 'fp-ts', 'io-ts']

/** The version of each package that takes part, in the order of their names. */
export const installedVersions = async (): Promise<ReadonlyMap<string, string>> => {
  const { dependencies = {} } = await readManifest(benchManifest)
  const names = [...Object.keys(dependencies), ...shared].toSorted()
  const versions = new Map([['svc-streams', (await readManifest(rootManifest)).version]])
  for (const name of names) versions.set(name, (await versionFrom(benchManifest, name)) ?? 'missing')
  return versions
}

/** The peers that are not installed as `package.json` says. */
export const missingPeers = async (): Promise<readonly string[]> => {
  const { dependencies = {} } = await readManifest(benchManifest)
  const versions = await installedVersions()
  return Object.entries(dependencies).flatMap(([name, wanted]) =>
    versions.get(name) === wanted ? [] : [name],
  )
}

/** By hand and the project must stand on the same `ws` and `undici` as the project's users get. */
export const checkCommonGround = async (): Promise<void> => {
  for (const name of ['ws', 'undici', 'rxjs']) {
    const [ours, peers] = [await versionFrom(rootManifest, name), await versionFrom(benchManifest, name)]
    if (ours !== peers) {
      throw new Error(
        `${name} is ${ours ?? 'missing'} in the project and ${peers ?? 'missing'} in bench/package.json`,
      )
    }
  }
}

/** The version of `ws` that ccxt brings with it. */
export const versionOfCcxtsWs = (): Promise<string | undefined> =>
  versionFrom(new URL('../node_modules/ccxt/package.json', import.meta.url), 'ws')
