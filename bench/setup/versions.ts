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

/** The version that a program beside `from` resolves. Searches the folders, because few packages export their manifest. */
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

/** Packages that are installed for the whole project. */
const shared = ['rxjs', 'fp-ts', 'io-ts']

/** The version of each package in the benchmark, by name. */
export const installedVersions = async (): Promise<ReadonlyMap<string, string>> => {
  const { dependencies = {} } = await readManifest(benchManifest)
  const names = [...Object.keys(dependencies), ...shared].toSorted()
  const versions = new Map([['svc-streams', (await readManifest(rootManifest)).version]])
  for (const name of names) versions.set(name, (await versionFrom(benchManifest, name)) ?? 'missing')
  return versions
}

/** The peers that are not installed in the version of `package.json`. */
export const missingPeers = async (): Promise<readonly string[]> => {
  const { dependencies = {} } = await readManifest(benchManifest)
  const versions = await installedVersions()
  return Object.entries(dependencies).flatMap(([name, required]) =>
    versions.get(name) === required ? [] : [name],
  )
}

/** All candidates must use the versions of `ws`, `undici` and `rxjs` that the project uses. */
export const checkSharedVersions = async (): Promise<void> => {
  for (const name of ['ws', 'undici', 'rxjs']) {
    const [project, bench] = [await versionFrom(rootManifest, name), await versionFrom(benchManifest, name)]
    if (project !== bench) {
      throw new Error(
        `${name} is ${project ?? 'missing'} in the project and ${bench ?? 'missing'} in bench/package.json`,
      )
    }
  }
}

/** The version of `ws` that ccxt depends on. */
export const versionOfCcxtsWs = (): Promise<string | undefined> =>
  versionFrom(new URL('../node_modules/ccxt/package.json', import.meta.url), 'ws')
