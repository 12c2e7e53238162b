import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A version of a runtime. The versions are exact, because the list of known failures belongs to them. */
export interface Runtime {
  /** As in `--only`. */
  readonly name: string
  readonly version: string
  /** The package that contains the runtime, as an argument of `npm install`. */
  readonly package: string
  /** Returns the path of the executable in the folder where the package is installed. */
  readonly executableIn: (folder: string) => string
  /** The arguments of the runtime in front of a program. */
  readonly runArguments: readonly string[]
  /** The package with the types of the runtime; `undefined` if the runtime checks types itself. */
  readonly types: { readonly package: string; readonly name: string } | undefined
}

const nodePackage = `node-${process.platform}-${process.arch}`

const node = (version: string): Runtime => {
  const major = version.split('.')[0] ?? ''
  return {
    name: `node@${major}`,
    version,
    package: `${nodePackage}@${version}`,
    executableIn: (folder) => join(folder, 'node_modules', nodePackage, 'bin/node'),
    runArguments: [],
    types: { package: `@types/node@${major}`, name: 'node' },
  }
}

/** The only folder in `folder`: the optional dependency for this platform. */
const platformFolder = (folder: string): string => join(folder, readdirSync(folder)[0] ?? '')

const deno: Runtime = {
  name: 'deno',
  version: '2.9.6',
  package: 'deno@2.9.6',
  executableIn: (folder) => join(platformFolder(join(folder, 'node_modules/@deno')), 'deno'),
  runArguments: ['run', '--allow-all'],
  types: undefined,
}

const bun: Runtime = {
  name: 'bun',
  version: '1.4.5',
  package: 'bun@1.4.5',
  executableIn: (folder) => join(platformFolder(join(folder, 'node_modules/@oven')), 'bin/bun'),
  runArguments: [],
  types: { package: '@types/bun@1', name: 'bun' },
}

export const runtimes: readonly Runtime[] = [
  node('20.20.2'),
  node('22.23.3'),
  node('24.21.0'),
  node('26.10.0'),
  deno,
  bun,
]

/** The runtimes with these names, which are separated by commas. */
export const selectRuntimes = (names: string): readonly Runtime[] =>
  names.split(',').map((name) => {
    const runtime = runtimes.find((candidate) => candidate.name === name)
    if (runtime !== undefined) return runtime
    throw new Error(`unknown runtime ${name}: expected ${runtimes.map((each) => each.name).join(', ')}`)
  })
