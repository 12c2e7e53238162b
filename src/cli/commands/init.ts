import { existsSync, statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createFolders } from '../../backtest/recording/files/files.js'
import type { Io } from '../io.js'
import { shellWord } from '../render/shell-word.js'
import { usageError } from '../target/parse-flags.js'
import { defineCommand, one } from './shared/parts.js'

const examples = `
Examples:
  $ npx svc-streams init prices
      Write a project to the folder prices.
  $ cd prices && npm install && npm start
      Run its strategy on a local simulator. pnpm and Bun run the same scripts.
  $ npm run record && npm run backtest
      Record the simulator for a minute, trade over the recording, and write report.html.

The project has a strategy, a test of it with marbles, strict types and a .gitignore. The command overwrites no file: if one
of its files exists, it writes nothing.

Exit codes: 0 if the project was written, 1 otherwise.`

export const createCommand = defineCommand({
  examples,
  arguments: one('[folder]', 'folder of the project; it is created if it is missing').default(
    '.',
    'this folder',
  ),
  flags: {},
  action: (io, _command, _flags, folder) => writeProject(io, folder),
})

/** Resolved by the name of the package, because the place of this module differs between the sources and the package. */
const manifest = createRequire(import.meta.url).resolve('svc-streams/package.json')
const template = join(manifest, '../examples/project')

/** Copies `examples/project` of the package to `folder`. Overwrites nothing, and prints what to do next. */
const writeProject = async (io: Io, folder: string): Promise<void> => {
  if (folder === '') return usageError('folder: expected a name, or . for this folder; it is empty')
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Error(`nothing was written, because ${folder} is a file; give another folder`)
  const entries = await readdir(template, { recursive: true, withFileTypes: true })
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
  const files = ['package.json', ...sources.map(projectPath)]
  const existing = files.find((file) => existsSync(join(folder, file)))
  if (existing !== undefined)
    throw new Error(`nothing was written, because ${existing} exists in ${folder}; give another folder`)
  const create = async (file: string, text: string | Uint8Array): Promise<void> => {
    createFolders(dirname(join(folder, file)))
    await writeFile(join(folder, file), text, { flag: 'wx' })
  }
  await create('package.json', await packageJson(folder))
  for (const source of sources) await create(projectPath(source), await readFile(join(template, source)))
  const steps = [
    ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
    'npm install',
    'npm start',
    'npm test',
    'npm run paper',
  ]
  io.stdout.write(`Wrote ${files.join(', ')}\n\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`)
}

/** npm omits a `.gitignore` from a package. */
const projectPath = (path: string): string => (path === 'gitignore' ? '.gitignore' : path)

interface PackageJson {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The peers have the versions with which the library is tested. */
const packageJson = async (folder: string): Promise<string> => {
  const { version, devDependencies } = JSON.parse(await readFile(manifest, 'utf8')) as PackageJson
  const versions = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, devDependencies[name]]))
  const project = {
    name: projectName(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'node --import tsx src/main.ts',
      test: 'node --import tsx --test src/strategy.test.ts',
      types: 'tsc',
      paper: 'svc-streams paper src/paper.ts --simulate',
      record: 'svc-streams record --simulate --duration 1m --out market.ndjson',
      backtest: 'svc-streams backtest market.ndjson src/paper.ts --report report.html',
    },
    dependencies: { 'svc-streams': await ownSource(version), ...versions('rxjs', 'fp-ts', 'io-ts') },
    devDependencies: versions('@types/node', 'tsx', 'typescript'),
    // tsx works without the install script of esbuild, of which npm would warn.
    allowScripts: { esbuild: false },
  }
  return `${JSON.stringify(project, null, 2)}\n`
}

/**
 * What a project gives npm to install this package again: the tarball or the folder from which it was installed, or else its
 * version in the registry.
 */
const ownSource = async (version: string): Promise<string> => {
  const folder = dirname(manifest)
  const modules = dirname(folder)
  if (basename(modules) !== 'node_modules') return fileUrl(folder)
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}')
  const { packages } = JSON.parse(text) as InstalledPackages
  const resolved = packages?.['node_modules/svc-streams']?.resolved
  return resolved?.startsWith('file:') === true
    ? fileUrl(resolve(modules, '..', resolved.slice('file:'.length)))
    : `^${version}`
}

/** What npm writes about the packages that it has installed. */
interface InstalledPackages {
  readonly packages?: Readonly<Partial<Record<string, { readonly resolved?: string }>>>
}

const fileUrl = (path: string): string => `file:${path.replaceAll('\\', '/')}`

/** A name that npm accepts. */
const projectName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'prices'
