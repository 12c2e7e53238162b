import { existsSync, statSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createFolders } from '../../backtest/recording/files/files.js'
import { printable } from '../../base/errors/text.js'
import type { Io } from '../io.js'
import { writing } from '../render/file-problem.js'
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
  const files = sources.map(projectPath)
  const existing = files.find((file) => existsSync(join(folder, file)))
  if (existing !== undefined)
    throw new Error(`nothing was written, because ${existing} exists in ${folder}; give another folder`)
  for (const source of sources) {
    const path = join(folder, projectPath(source))
    const given = await readFile(join(template, source), 'utf8')
    const text = source === 'manifest.json' ? await packageJson(folder, given) : given
    writing(printable(path), () => {
      createFolders(dirname(path))
      writeFileSync(path, text, { flag: 'wx' })
    })
  }
  const steps = [
    ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
    'npm install',
    'npm start',
    'npm test',
    'npm run paper',
  ]
  io.stdout.write(`Wrote ${files.join(', ')}\n\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`)
}

/** npm omits a `.gitignore` from a package, and a `package.json` would be that of the examples. */
const projectPath = (path: string): string =>
  ({ gitignore: '.gitignore', 'manifest.json': 'package.json' })[path] ?? path

interface PackageJson {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The peers have the versions with which the library is tested. tsx works without the install script of esbuild. */
const packageJson = async (folder: string, text: string): Promise<string> => {
  const { version, devDependencies } = JSON.parse(await readFile(manifest, 'utf8')) as PackageJson
  const project = JSON.parse(text) as PackageJson
  const versions: PackageJson['dependencies'] = {
    ...devDependencies,
    'svc-streams': await ownSource(version),
  }
  const withVersions = (names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, versions[name]]))
  const dependencies = withVersions(project.dependencies)
  const others = { dependencies, devDependencies: withVersions(project.devDependencies) }
  return `${JSON.stringify({ name: projectName(folder), ...project, ...others }, null, 2)}\n`
}

/** From where npm installs this package again: the tarball or the folder of this installation, or its version in the registry. */
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
