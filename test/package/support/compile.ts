import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { run } from './run.js'

export interface Compiler {
  readonly version: string
  /** The name of its package in the folder of tools. Default: the compiler of this repository. */
  readonly alias?: string
}

/** The oldest supported version. */
const oldest: Compiler = { version: '5.4.5', alias: 'typescript-oldest' }
/** The version that builds the library. */
export const own: Compiler = { version: ts.version }
/** The newest version, and by far the fastest. */
const newest: Compiler = { version: '7.0.2', alias: 'typescript-newest' }

export const compilers: readonly Compiler[] = [oldest, own, newest]

/** The packages of the compilers, as arguments of `npm install`. */
export const compilerPackages: readonly string[] = compilers.flatMap(({ alias, version }) =>
  alias === undefined ? [] : [`${alias}@npm:typescript@${version}`],
)

/** The strictest compiler options of a user program. */
export const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2022',
  lib: ['es2022'],
  noEmit: true,
  declaration: true, // reports exported types that have no name outside of the package
  pretty: false,
}

export interface Project {
  /** The folder of the user program. */
  readonly folder: string
  /** The folder with the compilers. */
  readonly tools: string
  /** The name of its tsconfig file: `tsconfig.<name>.json`. */
  readonly name: string
  /** Paths relative to `folder`. */
  readonly files: readonly string[]
  /** Default: the newest. */
  readonly compiler?: Compiler
  /** Compiler options that differ from `strictest`. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Compiles files without output. Returns the compiler's errors. */
export const compile = async (project: Project): Promise<readonly string[]> => {
  const { folder, tools, name, files, options = {}, compiler = newest } = project
  const typeRoots = [join(tools, 'node_modules/@types')]
  const compilerOptions = { ...strictest, types: ['node'], typeRoots, ...options }
  const config = `tsconfig.${name}.json`
  await writeFile(join(folder, config), JSON.stringify({ compilerOptions, files }))
  const tsc = executableOf(compiler, tools)
  const { code, stdout, stderr } = await run('node', [tsc, '-p', config], { cwd: folder })
  const output = (stdout + stderr).trim()
  if (output === '' && code !== 0) throw new Error(`the compiler exited with ${String(code)}`)
  // Indented lines belong to the error above them.
  return output === '' ? [] : output.split(/\n(?! )/)
}

const executableOf = ({ alias }: Compiler, tools: string): string =>
  alias === undefined
    ? createRequire(import.meta.url).resolve('typescript/bin/tsc')
    : join(tools, 'node_modules', alias, 'bin/tsc')

/** Writes source files into a folder `name` inside `folder`. Returns their paths relative to `folder`. */
export const writeSources = async (
  folder: string,
  name: string,
  sources: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'package.json'), '{ "type": "module" }')
  return Promise.all(
    Object.entries(sources).map(async ([file, text]) => {
      await writeFile(join(folder, name, file), text)
      return `${name}/${file}`
    }),
  )
}
